import { afterAll, bench, describe } from "vitest";
import { hotPaths } from "./hot-paths.ts";

const paths = await hotPaths();
afterAll(async () => paths.close());

describe("a frame", () => {
  for (const { name, call } of paths.frames) bench(name, async () => void (await call()));
});

describe("a message", () => {
  for (const { name, call } of paths.messages) bench(name, () => void call());
});

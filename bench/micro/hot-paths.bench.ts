import { afterAll, bench, describe } from "vitest";
import { hotPaths } from "./hot-paths.ts";

const paths = await hotPaths();
afterAll(async () => paths.close());

describe("steps of a frame", () => {
  for (const { name, call } of paths.frames) bench(name, async () => void (await call()));
});

describe("steps of a message", () => {
  for (const { name, call } of paths.messages) bench(name, () => void call());
});

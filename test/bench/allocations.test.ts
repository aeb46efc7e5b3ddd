import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Allocation } from "../../bench/micro/allocations.ts";

const FLAGS = [
  "--expose-gc",
  "--no-concurrent-recompilation",
  "--min-semi-space-size=128",
  "--max-semi-space-size=128",
  "--import",
  "tsx",
];
/** Limit in bytes per frame of 32 ms. */
const LIMIT = 1024;

test("no step of the audio path allocates a kilobyte a frame", () => {
  const script = new URL("../../bench/micro/allocations.ts", import.meta.url).pathname;
  const { stdout, stderr } = spawnSync(process.execPath, [...FLAGS, script, "--json"], { encoding: "utf8" });
  expect(stdout, stderr).not.toBe("");
  // The model is excluded: onnxruntime-node allocates more than a kilobyte a call (docs/decisions/0060).
  const own = JSON.parse(stdout) as Allocation[];
  expect(own).toHaveLength(9);
  for (const { name, bytesAFrame } of own) expect(bytesAFrame, name).toBeLessThan(LIMIT);
}, 300_000);

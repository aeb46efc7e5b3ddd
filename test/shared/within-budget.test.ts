import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { threadMs, withinBudget } from "../../src/shared/within-budget.ts";

const MS = 5;
const forever = () => {
  for (;;);
};

test("the result of work that is done in time", () => {
  expect(withinBudget(1000, () => undefined)).toEqual({ result: undefined });
});

test("endless work is stopped once", () => {
  let attempts = 0;
  const work = () => (attempts++, forever());
  expect(withinBudget(MS, work, () => attempts * MS)).toBeUndefined();
  expect(attempts).toBe(1);
});

test("work whose time other programs took is begun again, five times at most", () => {
  let attempts = 0;
  const none = () => 0;
  expect(withinBudget(MS, () => (++attempts < 3 ? forever() : "done"), none)).toEqual({ result: "done" });
  expect(withinBudget(MS, () => (attempts++, forever()), none)).toBeUndefined();
  expect(attempts).toBe(3 + 5);
});

test("an error of the work is its own", () => {
  expect(() =>
    withinBudget(MS, () => {
      throw new RangeError("too large");
    }),
  ).toThrow(new RangeError("too large"));
});

test.runIf(process.platform === "linux")("other threads of the process do not count", async () => {
  const other = new Worker('require("node:worker_threads").parentPort.postMessage(""); for (;;);', { eval: true });
  await once(other, "message");
  const [fromMs, from] = [threadMs(), process.cpuUsage()];
  // Both would grow equally if other threads counted. This thread's own work counts in both.
  await expect.poll(() => process.cpuUsage(from).user / 1000 - (threadMs() - fromMs)).toBeGreaterThan(100);
  await other.terminate();
});

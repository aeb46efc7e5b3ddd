import { expect, test } from "vitest";
import { agentAnswer, readinessOf } from "../../src/server/readiness.ts";

test.each([
  ["all places free", 0, "ready", "up 100%\n"],
  ["some places free", 5, "ready", "up 38%\n"],
  ["no place free", 8, "all 8 calls are taken", "up 1%\n"],
])("%s", (_case, taken, reason, answer) => {
  const readiness = readinessOf({ taken, isDraining: false }, 8, undefined);
  expect([readiness.reason ?? "ready", agentAnswer(readiness)]).toEqual([reason, answer]);
});

test("a box with many places and one free one has a weight", () => {
  expect(readinessOf({ taken: 999, isDraining: false }, 1_000, undefined).weight).toBe(1);
});

test("a draining box has no weight, also when an engine is down", () => {
  const readiness = readinessOf({ taken: 1, isDraining: true }, 8, "not running: language model");
  expect([readiness.reason, agentAnswer(readiness)]).toEqual(["draining", "up 0%\n"]);
});

test("a box without an engine is down, and says why in one line", () => {
  const readiness = readinessOf({ taken: 8, isDraining: false }, 8, "not running:\nlanguage model");
  expect(agentAnswer(readiness)).toBe("down #not running:language model\n");
});

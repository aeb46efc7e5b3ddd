import { expect, test } from "vitest";
import { deadlineLimit } from "../../src/child-processes/process-limits.ts";

test.each([
  [10, { requestMs: 10_000, pingMs: 8_000 }],
  [30, { requestMs: 30_000, pingMs: 8_000 }],
  [150, { requestMs: 150_000, pingMs: 40_000 }],
  [undefined, {}],
])("a deadline of %s s gives the limits %j", (seconds, limits) => {
  expect(deadlineLimit(seconds)).toEqual(limits);
});

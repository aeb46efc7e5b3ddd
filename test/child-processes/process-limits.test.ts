import { expect, test } from "vitest";
import { deadlineLimit } from "../../src/child-processes/process-limits.ts";

test.each([
  [10, { requestMs: 10_000, pingMs: 8_000 }],
  [30, { requestMs: 30_000, pingMs: 8_000 }],
  [150, { requestMs: 150_000, pingMs: 40_000 }],
  [undefined, {}],
])(
  "with a deadline of %s s, a process may be silent for as long as a machine of that pace needs",
  (seconds, limits) => {
    expect(deadlineLimit(seconds)).toEqual(limits);
  },
);

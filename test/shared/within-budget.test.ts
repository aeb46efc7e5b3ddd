import { expect, test, vi } from "vitest";
import { withinBudget } from "../../src/shared/within-budget.ts";

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
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: attempts * MS * 1000, system: 0 }));
  expect(withinBudget(MS, work)).toBeUndefined();
  expect(attempts).toBe(1);
});

test("work whose time other programs took is begun again, five times at most", () => {
  let attempts = 0;
  vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 0, system: 0 });
  expect(withinBudget(MS, () => (++attempts < 3 ? forever() : "done"))).toEqual({ result: "done" });
  expect(withinBudget(MS, () => (attempts++, forever()))).toBeUndefined();
  expect(attempts).toBe(3 + 5);
});

test("an error of the work is its own", () => {
  expect(() =>
    withinBudget(MS, () => {
      throw new RangeError("too large");
    }),
  ).toThrow(new RangeError("too large"));
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { commonWords, quantile, spread, summarise } from "../../src/simulated-callers/statistics.ts";

test("quantiles are interpolated between neighbours", () => {
  expect(quantile([3, 1, 2], 0.5)).toBe(2);
  expect(quantile([10, 20], 0.95)).toBeCloseTo(19.5, 9);
  expect(quantile([7], 0.99)).toBe(7);
  expect(quantile([], 0.5)).toBeNaN();
  expect(summarise([])).toBeUndefined();
  expect(summarise([1, 2, 3, 4, 5])).toMatchObject({ count: 5, p50: 3, max: 5 });
});

test("property: quantiles lie within the values and increase, for values in any order", () => {
  const values = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(values, (list) => {
      const summary = summarise(list);
      const ordered = [Math.min(...list), summary?.p50, summary?.p95, summary?.p99, summary?.max] as number[];
      for (const [at, value] of ordered.entries())
        if (at > 0) expect(value).toBeGreaterThanOrEqual((ordered[at - 1] ?? 0) - 1e-6);
      expect(summarise(list.toReversed())).toEqual(summary);
    }),
  );
});

test("the spread covers the medians of all callers that have a value", () => {
  expect(spread([[1, 2, 3], [], [10, 10]])).toBe(8);
  expect(spread([[]])).toBeUndefined();
});

test("common words are counted in order", () => {
  const count = (a: string, b: string) => commonWords(a.split(" "), b.split(" "));
  expect(count("turn on the light", "turn off the light please")).toBe(3);
  expect(count("a b c", "c b a")).toBe(1);
  expect(commonWords([], ["a"])).toBe(0);
});

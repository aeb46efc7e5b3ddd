import fc from "fast-check";
import { expect, test } from "vitest";
import { evenly } from "../../bench/evenly.ts";

test("evenly returns up to the limit of items, in order and without repetition", () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(50), (length, limit) => {
      const taken = evenly(
        Array.from({ length }, (_, index) => index),
        limit,
      );
      expect(taken).toHaveLength(Math.min(length, limit));
      expect([...new Set(taken)].toSorted((a, b) => a - b)).toEqual(taken);
    }),
  );
  expect(evenly(["a", "b", "c"], Infinity)).toEqual(["a", "b", "c"]);
  expect(evenly([0, 1, 2, 3, 4, 5, 6, 7], 2)).toEqual([0, 4]);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { likenessOf } from "../../../../src/engines/stt/ears/likeness.ts";

const text = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom("a", "B", "c", " ", ".", "é", "四")).map((a) => a.join("")),
);

describe("likenessOf", () => {
  it.each([
    ["night", "light", 8 / 10],
    ["Stop it!", "stop  it", 1],
    ["abc", "xyz", 0],
    ["", "", 0],
    ["...", "...", 0],
    ["ab", "ba", 2 / 4],
    ["四十", "四", 2 / 3],
  ])("compares %j with %j", (one, other, likeness) => {
    expect(likenessOf(one, other)).toBeCloseTo(likeness, 10);
  });

  it("is between 0 and 1, and the same in both directions", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const likeness = likenessOf(one, other);
        expect(likeness).toBeGreaterThanOrEqual(0);
        expect(likeness).toBeLessThanOrEqual(1);
        expect(likenessOf(other, one)).toBe(likeness);
      }),
    );
  });

  it("is 1 for equal letters, whatever stands between them", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "7", "é"), { minLength: 1 });
    fc.assert(
      fc.property(letters, (all) => {
        expect(likenessOf(all.join(" "), `${all.join("").toUpperCase()}!`)).toBe(1);
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainWords, wordErrors } from "../../bench/word-errors.ts";

describe("plainWords", () => {
  it("spells words that sound alike in the same way", () => {
    expect(plainWords("OK, Mr. Reed: 7:30!")).toEqual(plainWords("okay mister reed seven thirty"));
    expect(plainWords("Can't you?")).toEqual(["can't", "you"]);
    expect(plainWords(" … ")).toEqual([]);
  });
});

describe("wordErrors", () => {
  const count = (reference: string, heard: string) => wordErrors(plainWords(reference), plainWords(heard));

  it("counts substitutions, insertions and deletions", () => {
    expect(count("turn on the light", "turn on the light")).toBe(0);
    expect(count("turn on the light", "turn off the light")).toBe(1);
    expect(count("turn on the light", "turn on light")).toBe(1);
    expect(count("turn on the light", "turn on all the light")).toBe(1);
    expect(count("turn on the light", "")).toBe(4);
    expect(count("", "thanks for watching")).toBe(3);
    expect(count("a b c d", "b c d e")).toBe(2);
  });

  it("is a distance", () => {
    const words = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
    fc.assert(
      fc.property(words, words, words, (a, b, c) => {
        expect(wordErrors(a, a)).toBe(0);
        expect(wordErrors(a, b)).toBe(wordErrors(b, a));
        expect(wordErrors(a, c)).toBeLessThanOrEqual(wordErrors(a, b) + wordErrors(b, c));
        expect(wordErrors(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});

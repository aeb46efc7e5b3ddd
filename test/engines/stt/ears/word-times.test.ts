import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseText, readingsOf } from "../../../../src/engines/stt/ears/choose-text.ts";
import { spanOf } from "../../../../src/engines/stt/ears/word-times.ts";
import type { Word } from "../../../../src/engines/stt/speech-to-text.ts";

const CLIP_SECONDS = 10;
const timed = (...spans: [start: number, end: number][]): Word[] =>
  spans.map(([start, end]) => ({ word: "word", start, end, confidence: 1 }));
const place = (first: number, count: number, at = 0, of = 1) => ({ place: { first, count, at, of } });

describe("spanOf", () => {
  const fast = timed([1, 2], [3, 4], [4, 6]);

  it.each([
    ["the fast ear's word in its place", place(1, 1), { start: 3, end: 4 }],
    ["one of as many words", place(0, 2, 1, 2), { start: 3, end: 4 }],
    ["the first of two words for one", place(2, 1, 0, 2), { start: 4, end: 5 }],
    ["the second of two words for one", place(2, 1, 1, 2), { start: 5, end: 6 }],
    ["one word for three", place(0, 3), { start: 1, end: 6 }],
    ["a word before all others", place(0, 0), { start: 0, end: 1 }],
    ["a word between others", place(1, 0), { start: 2, end: 3 }],
    ["a word between others without a pause", place(2, 0), { start: 4, end: 4 }],
    ["a word after all others", place(3, 0), { start: 6, end: CLIP_SECONDS }],
  ])("gives the time of %s", (_what, word, span) => {
    expect(spanOf(word, fast, CLIP_SECONDS)).toEqual(span);
  });

  it("is the whole clip when the fast ear wrote nothing", () => {
    expect(spanOf(place(0, 0), [], CLIP_SECONDS)).toEqual({ start: 0, end: CLIP_SECONDS });
  });

  it("is inside the clip and in order, whatever words are chosen", () => {
    const word = fc.constantFrom("one", "two", "three", "four");
    const text = fc.array(word, { maxLength: 7 });
    const cuts = fc.array(fc.double({ min: 0, max: CLIP_SECONDS, noNaN: true }), { minLength: 14, maxLength: 14 });
    fc.assert(
      fc.property(text, text, cuts, (sure, fastWords, times) => {
        const sorted = times.toSorted((one, other) => one - other);
        const words = timed(
          ...fastWords.map((_, at): [number, number] => [sorted[2 * at] ?? 0, sorted[2 * at + 1] ?? 0]),
        );
        const chosen = chooseText(readingsOf(sure.join(" "), fastWords.join(" ")), new Map(), {
          answers: [],
          phrases: [],
        });
        let latest = 0;
        for (const each of chosen.words) {
          const { start, end } = spanOf(each, words, CLIP_SECONDS);
          expect(start).toBeGreaterThanOrEqual(latest - 1e-9);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(CLIP_SECONDS + 1e-9);
          latest = end;
        }
      }),
    );
  });
});

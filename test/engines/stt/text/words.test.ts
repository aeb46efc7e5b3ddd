import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Loudness } from "../../../../src/engines/stt/audio/loudness.ts";
import { toTranscript, wordsFromTokens } from "../../../../src/engines/stt/text/words.ts";
import { noise, tokens } from "../support.ts";

const loud = new Loudness(noise(4, 0.5));

describe("wordsFromTokens", () => {
  it("starts a word at each token with a leading space", () => {
    const words = wordsFromTokens(tokens(" good| mor|ning|,| world"), 4, loud);
    expect(words.map(({ word }) => word)).toEqual(["good", "morning,", "world"]);
    expect(words.map(({ start, end }) => [start, end])).toEqual([
      [0, 0.5],
      [0.5, 2],
      [2, 4],
    ]);
  });

  it("joins a character that two tokens share", () => {
    const [left, right] = [Buffer.from(" caf\u00c3", "latin1"), Buffer.from([0xa9])];
    const halves = [left, right].map((bytes) => ({
      id: 1,
      bytes: bytes.toString("latin1"),
      probability: 1,
      logProbability: 0,
      alignedSeconds: 0,
    }));
    expect(wordsFromTokens(halves, 1, loud)[0]?.word).toBe("café");
  });

  it("skips pieces without text", () => {
    expect(wordsFromTokens(tokens("| | yes"), 4, loud).map(({ word }) => word)).toEqual(["yes"]);
    expect(wordsFromTokens(tokens(""), 4, loud)).toEqual([]);
  });

  it("removes the silence at both ends of a word", () => {
    const samples = noise(4, 0.5);
    samples.fill(0, 0, 16_000);
    samples.fill(0, 16_000 * 2, 16_000 * 3);
    const words = wordsFromTokens(tokens(" one| two", [0.2, 2.8]), 4, new Loudness(samples));
    expect(words.map(({ start, end }) => [start, end])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it("divides the voiced part by letters when there is no alignment", () => {
    const samples = noise(4, 0.5);
    samples.fill(0, 0, 16_000);
    const words = wordsFromTokens(tokens(" ab| abcd", [-1, -1]), 4, new Loudness(samples));
    expect(words.map(({ start, end }) => [start, end])).toEqual([
      [1, 2],
      [2, 4],
    ]);
  });

  it("returns ordered times inside the clip for any alignment", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -2, max: 50, noNaN: true }), { minLength: 1, maxLength: 30 }), (times) => {
        const words = wordsFromTokens(tokens(times.map(() => " a").join("|"), times), 4, loud);
        let latest = 0;
        for (const { start, end } of words) {
          expect(start).toBeGreaterThanOrEqual(latest);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(4);
          latest = start;
        }
      }),
    );
  });
});

describe("toTranscript", () => {
  it("weights all tokens equally", () => {
    const word = { start: 0, end: 1 };
    const transcript = toTranscript(
      [
        { ...word, word: "a", confidence: 1, tokenCount: 1 },
        { ...word, word: "bcd", confidence: 0.5, tokenCount: 3 },
      ],
      1,
    );
    expect(transcript.text).toBe("a bcd");
    expect(transcript.confidence).toBeCloseTo(0.625);
    expect(transcript.words[0]).toEqual({ word: "a", start: 0, end: 1, confidence: 1 });
  });

  it("returns no times inside the padding", () => {
    expect(toTranscript([{ word: "a", start: 0.4, end: 1.1, confidence: 1, tokenCount: 1 }], 0.5).words[0]?.end).toBe(
      0.5,
    );
  });

  it("has confidence 0 without words", () => {
    expect(toTranscript([], 1)).toEqual({ text: "", confidence: 0, words: [] });
  });
});

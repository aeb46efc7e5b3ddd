import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  confidenceOf,
  isSure,
  isUnsureOfSpeech,
  speechOdds,
  verdictOn,
} from "../../../../src/engines/stt/ears/certainty.ts";
import type { Evidence } from "../../../../src/engines/stt/decoded.ts";

const logProbability = fc.double({ min: -20, max: 0, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const begins = (firstLogProbability: number, tokens = 3) => ({ firstLogProbability, tokens });

describe("isSure", () => {
  const heard = (count: number, evidence: Partial<Evidence>) => ({
    words: Array.from({ length: count }, () => ({ word: "word", start: 0, end: 1, confidence: 1 })),
    evidence: {
      logProbability: 0,
      firstLogProbability: 0,
      noSpeechProbability: 0,
      tokens: 9,
      voicedSeconds: 1,
      ...evidence,
    },
  });

  it.each([
    ["three likely words", heard(3, {}), true],
    ["two likely words", heard(2, {}), false],
    ["unlikely words", heard(3, { logProbability: -0.3 }), false],
    ["an unlikely beginning", heard(3, { firstLogProbability: -1 }), false],
    ["nothing", heard(0, {}), false],
  ])("judges %s", (_what, words, expected) => {
    expect(isSure(words)).toBe(expected);
  });
});

describe("isUnsureOfSpeech", () => {
  it("is true for an unlikely first token", () => {
    expect(isUnsureOfSpeech({ firstLogProbability: -3 })).toBe(true);
    expect(isUnsureOfSpeech({ firstLogProbability: -0.1 })).toBe(false);
  });
});

describe("speechOdds", () => {
  it("rise with the likeness of the texts and with the certainty of each ear", () => {
    fc.assert(
      fc.property(logProbability, logProbability, share, logProbability, share, (fast, sure, likeness, more, alike) => {
        const odds = speechOdds({ fast: begins(fast), sure: begins(sure), likeness });
        const surer = (from: number) => begins(Math.max(from, more));
        expect(speechOdds({ fast: surer(fast), sure: begins(sure), likeness })).toBeGreaterThanOrEqual(odds);
        expect(speechOdds({ fast: begins(fast), sure: surer(sure), likeness })).toBeGreaterThanOrEqual(odds);
        const liker = Math.max(likeness, alike);
        expect(speechOdds({ fast: begins(fast), sure: begins(sure), likeness: liker })).toBeGreaterThanOrEqual(odds);
      }),
    );
  });

  it("are speech for two sure ears that write the same text, and not for two unsure ones", () => {
    const both = (first: number, likeness: number) =>
      verdictOn(speechOdds({ fast: begins(first), sure: begins(first), likeness }), false, false);
    expect(both(-0.1, 1)).toEqual({ isSpeech: true, isDoubtful: false });
    expect(both(-3, 0.1)).toEqual({ isSpeech: false, isDoubtful: false });
  });

  it("are not speech when an ear wrote nothing, however sure the other one is", () => {
    fc.assert(
      fc.property(logProbability, logProbability, (one, other) => {
        const texts = [
          { fast: begins(one, 0), sure: begins(other), likeness: 0 },
          { fast: begins(one), sure: begins(other, 0), likeness: 0 },
        ];
        for (const each of texts) expect(verdictOn(speechOdds(each), false, false).isSpeech).toBe(false);
        const nothing = speechOdds({ fast: begins(one, 0), sure: begins(other, 0), likeness: 0 });
        expect(verdictOn(nothing, true, true).isSpeech).toBe(false);
      }),
    );
  });
});

describe("verdictOn", () => {
  const odds = fc.double({ min: -20, max: 20, noNaN: true });

  it("turns to speech and then to no doubt as the odds rise", () => {
    fc.assert(
      fc.property(odds, odds, fc.boolean(), fc.boolean(), (one, other, isNumber, isExpected) => {
        const rank = (value: number) => {
          const { isSpeech, isDoubtful } = verdictOn(value, isNumber, isExpected);
          return isSpeech ? (isDoubtful ? 1 : 2) : 0;
        };
        expect(rank(Math.max(one, other))).toBeGreaterThanOrEqual(rank(Math.min(one, other)));
      }),
    );
  });

  it("accepts a number at lower odds, and does not doubt it when it was asked for", () => {
    expect(verdictOn(0, false, false)).toEqual({ isSpeech: false, isDoubtful: false });
    expect(verdictOn(0, true, false)).toEqual({ isSpeech: true, isDoubtful: true });
    expect(verdictOn(0, true, true)).toEqual({ isSpeech: true, isDoubtful: false });
  });
});

describe("confidenceOf", () => {
  const place = { first: 0, count: 1, at: 0, of: 1 };

  it("is a probability that rises with the scores, and when both ears agree", () => {
    fc.assert(
      fc.property(logProbability, logProbability, fc.boolean(), (one, other, isAgreed) => {
        const of = (score: number, agreed = isAgreed) =>
          confidenceOf({ word: "yes", place, isAgreed: agreed, logProbability: score });
        expect(of(one)).toBeGreaterThan(0);
        expect(of(one)).toBeLessThan(1);
        expect(of(Math.max(one, other))).toBeGreaterThanOrEqual(of(Math.min(one, other)));
        expect(of(one, true)).toBeGreaterThan(of(one, false));
      }),
    );
  });
});

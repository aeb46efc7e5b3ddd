import { describe, expect, it } from "vitest";
import { type DecodedPiece } from "../../../../src/engines/stt/decoded.ts";
import { evidenceOf, toHeard } from "../../../../src/engines/stt/text/heard.ts";
import { tokens } from "../support.ts";

describe("evidenceOf", () => {
  it("has the mean of the tokens and the first one", () => {
    const decoded = tokens(" yes| please").map((token, index) => ({ ...token, logProbability: -1 - index }));
    expect(evidenceOf({ tokens: decoded, noSpeechProbability: 0.3 }, 1.5)).toEqual({
      logProbability: -1.5,
      firstLogProbability: -1,
      noSpeechProbability: 0.3,
      tokens: 2,
      voicedSeconds: 1.5,
    });
  });

  it("is 0 without tokens", () => {
    expect(evidenceOf({ tokens: [], noSpeechProbability: 0 }, 0)).toMatchObject({ logProbability: 0, tokens: 0 });
  });
});

describe("toHeard", () => {
  const piece = (word: string, logProbability: number, count: number, isDoubtful: boolean): DecodedPiece => ({
    words: word === "" ? [] : [{ word, start: 0, end: 1, confidence: 0.5, tokenCount: count }],
    isDoubtful,
    evidence: {
      logProbability,
      firstLogProbability: logProbability,
      noSpeechProbability: 0,
      tokens: count,
      voicedSeconds: 1,
    },
  });

  it("counts a piece by its tokens", () => {
    const { text, evidence } = toHeard([piece("yes", -1, 1, false), piece("please", -2, 3, false)], 2);
    expect(text).toBe("yes please");
    expect(evidence).toMatchObject({ logProbability: -1.75, tokens: 4, voicedSeconds: 2 });
  });

  it.each([
    ["each piece is", [piece("yes", -1, 1, true), piece("no", -1, 1, true)], true],
    ["only one piece is", [piece("yes", -1, 1, true), piece("no", -1, 1, false)], false],
    ["the sure piece has no words", [piece("yes", -1, 1, true), piece("", 0, 0, false)], true],
    ["there are no words", [piece("", -3, 2, true)], false],
  ])("when %s", (_name, pieces, expected) => {
    expect(toHeard(pieces, 2).isDoubtful).toBe(expected);
  });
});

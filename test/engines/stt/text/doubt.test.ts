import { describe, expect, it } from "vitest";
import {
  countsAsSilence,
  isDoubtful,
  tokenBudget,
  whisperHeardSilence,
} from "../../../../src/engines/stt/text/doubt.ts";

describe("countsAsSilence", () => {
  it.each([
    ["sure words", -0.2, 0.1, false],
    ["sure words in spite of no speech", -0.2, 0.9, false],
    ["unsure words", -1.2, 0.1, false],
    ["unsure words and no speech", -1.2, 0.9, true],
    ["guesses", -3, 0, true],
    ["nothing", 0, 0.9, false],
  ])("%s", (_name, logProbability, noSpeechProbability, expected) => {
    expect(countsAsSilence({ logProbability, noSpeechProbability })).toBe(expected);
  });
});

describe("the beginning of a text", () => {
  const evidence = { logProbability: -0.2, noSpeechProbability: 0.3, tokens: 12, voicedSeconds: 2 };

  it.each([
    ["sure", -0.4, false, false],
    ["unsure", -2.1, true, false],
    ["guessed", -2.9, true, true],
  ])("%s", (_name, firstLogProbability, doubtful, silent) => {
    expect(isDoubtful({ ...evidence, firstLogProbability })).toBe(doubtful);
    expect(whisperHeardSilence({ ...evidence, firstLogProbability })).toBe(silent);
  });

  it("counts as silence with a high no-speech probability and unsure words", () => {
    const unsure = { ...evidence, firstLogProbability: -1.2, logProbability: -1.2, noSpeechProbability: 0.9 };
    expect(whisperHeardSilence(unsure)).toBe(true);
  });
});

describe("tokenBudget", () => {
  it("has room for the fastest spelled letters", () => {
    // "B-I-T-T-S-B-U-R-G-H." has 20 tokens and takes 1.8 s.
    expect(tokenBudget(1.8, "en")).toBeGreaterThan(20);
  });

  it("is larger for other languages", () => {
    expect(tokenBudget(2, "hi")).toBeGreaterThan(tokenBudget(2, "en"));
  });
});

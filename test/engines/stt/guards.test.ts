import { describe, expect, it } from "vitest";
import { isHallucination, needsFullContext, withoutLoop, withoutSoundTags } from "../../../src/engines/stt/guards.ts";
import { tokens } from "./support.ts";

const split = (text: string) => text.split(" ").map((word) => ({ word }));
const join = (words: readonly { word: string }[]) => words.map(({ word }) => word).join(" ");

describe("isHallucination", () => {
  const sure = tokens(" yes");
  const unsure = sure.map((token) => ({ ...token, logProbability: -1.2 }));
  const guessed = sure.map((token) => ({ ...token, logProbability: -3 }));

  it.each([
    ["sure words", { tokens: sure, noSpeechProbability: 0.1 }, false],
    ["sure words in spite of no speech", { tokens: sure, noSpeechProbability: 0.9 }, false],
    ["unsure words", { tokens: unsure, noSpeechProbability: 0.1 }, false],
    ["unsure words and no speech", { tokens: unsure, noSpeechProbability: 0.9 }, true],
    ["guesses", { tokens: guessed, noSpeechProbability: 0 }, true],
    ["nothing", { tokens: [], noSpeechProbability: 0.9 }, false],
  ])("%s", (_name, decoded, expected) => {
    expect(isHallucination(decoded)).toBe(expected);
  });
});

describe("needsFullContext", () => {
  const said = (text: string, logProbability: number) => ({
    tokens: tokens(text.replaceAll(" ", "| ")).map((token) => ({ ...token, logProbability })),
    noSpeechProbability: 0,
  });
  const loop = `so then ${"thank you very much ".repeat(12).trim()}`;

  it.each([
    ["a sure text", "turn on the lights", -0.2, false],
    ["an unsure text", "turn on the lights", -1.2, true],
    ["a loop, however sure", loop, -0.1, true],
    ["numbers read out", "one ".repeat(16).trim(), -0.1, false],
  ])("%s", (_name, text, logProbability, expected) => {
    expect(needsFullContext(said(text, logProbability), split(text))).toBe(expected);
  });

  it("is false without tokens", () => {
    expect(needsFullContext({ tokens: [], noSpeechProbability: 0.9 }, [])).toBe(false);
  });
});

describe("withoutSoundTags", () => {
  it.each([
    ["[BLANK_AUDIO]", ""],
    ["yes [ Silence ] please", "yes please"],
    ["(upbeat music)", ""],
    ["*laughs* no (coughs) way", "no way"],
    ["♪ hello ♪", "hello"],
    ["call me (not now) later", "call me (not now) later"],
    ["five [open", "five [open"],
  ])("%s", (text, expected) => {
    expect(join(withoutSoundTags(split(text)))).toBe(expected);
  });
});

describe("withoutLoop", () => {
  it("reduces a loop to its first repetition", () => {
    expect(join(withoutLoop(split(`so then ${"thank you very much ".repeat(12).trim()}`)))).toBe(
      "so then thank you very much",
    );
  });

  it.each(["no no no no", "one two three one two three", "it was the best of times it was the worst of times"])(
    "keeps speech: %s",
    (text) => {
      expect(join(withoutLoop(split(text)))).toBe(text);
    },
  );

  it.each([
    "zero zero zero zero zero",
    "my number is five five five five five five five five five",
    "it is Zero, zero, zero, zero, zero, zero, zero, zero.",
    "the code is 1 1 1 1 1 1 1 1 1 1",
    "call 555-5555 555-5555 555-5555 555-5555 555-5555",
    "twenty-one twenty-one twenty-one twenty-one twenty-one",
    "double oh seven double oh seven double oh seven double oh seven double oh seven",
    "one two one two one two one two one two one two one two",
  ])("keeps a number that is read out: %s", (text) => {
    expect(join(withoutLoop(split(text)))).toBe(text);
  });

  it.each([
    ["oh oh oh oh oh oh oh oh oh oh oh oh oh oh oh oh", "oh"],
    [`five five ${"thank you ".repeat(12).trim()}`, "five five thank you"],
    [`it is ${"number five of the five ".repeat(8).trim()}`, "it is number five of the five"],
    [`I need ${"someone ".repeat(12).trim()}`, "I need someone"],
  ])("still reduces loops of other words near numbers: %s", (text, kept) => {
    expect(join(withoutLoop(split(text)))).toBe(kept);
  });

  it("keeps an empty text", () => {
    expect(withoutLoop([])).toEqual([]);
  });
});

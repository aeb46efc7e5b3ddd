import { assert, constantFrom, double, array, property, tuple } from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  closed,
  contradicts,
  firstChoice,
  hear,
  type LanguageChoice,
} from "../../../src/conversation/transcripts/language-choice.ts";

const LIST = ["en", "de", "es"];
/** The rest goes to a language outside the list. */
const scores = (de: number, en = 1 - de, es = 0) => ({ de, en, es, nn: Math.max(0, 1 - de - en - es) });
const heard = (choice: LanguageChoice, turn: number, de: number, spokenMs = 3_000, isWhole = true) =>
  hear(choice, { turn, scores: scores(de), spokenMs, isWhole }, LIST);

describe("before a language is clear", () => {
  it("decides at once for a clear answer about a second of voice", () => {
    expect(heard(firstChoice("en"), 1, 0.95, 1_000, false)).toMatchObject({ language: "de", evidence: "clear" });
    expect(heard(firstChoice("en"), 1, 0.95, 700)).toMatchObject({ language: "de", evidence: "guess" });
    expect(heard(firstChoice("en"), 1, 0.6)).toMatchObject({ language: "en", evidence: "none" });
  });

  it("adds the evidence of turns, and takes only the newest answer of one turn", () => {
    const first = heard(firstChoice("en"), 1, 0.75);
    expect(first).toMatchObject({ language: "de", evidence: "guess" });
    expect(heard(first, 1, 0.75).evidence).toBe("guess");
    expect(heard(first, 2, 0.8).evidence).toBe("clear");
    expect(heard(closed(first), 1, 0.8).evidence).toBe("clear");
  });

  it("counts only the candidates, and nothing when the caller speaks none of them", () => {
    const answer = { turn: 1, spokenMs: 2_000, isWhole: true };
    const few = { de: 0.2, en: 0.001, nl: 0.7 };
    expect(hear(firstChoice("en"), { ...answer, scores: few }, LIST)).toMatchObject({
      language: "de",
      evidence: "clear",
    });
    expect(hear(firstChoice("en"), { ...answer, scores: few }, undefined).language).toBe("nl");
    const none = firstChoice("en");
    expect(hear(none, { ...answer, scores: { de: 0.04, en: 0.01, nl: 0.9 } }, LIST)).toBe(none);
  });
});

describe("after a language is clear", () => {
  const german = heard(firstChoice("en"), 1, 0.99);

  it.each([
    ["clear evidence over a whole turn", 0.01, 2_000, true, "en"],
    ["a short turn", 0.01, 1_900, true, "de"],
    ["a part of a turn", 0.01, 4_000, false, "de"],
    ["evidence that is not clear", 0.06, 4_000, true, "de"],
  ])("%s", (_, de, spokenMs, isWhole, expected) => {
    expect(heard(german, 2, de, spokenMs, isWhole).language).toBe(expected);
  });

  it("notices an answer for another language", () => {
    expect(contradicts(german, { scores: scores(0.01) }, LIST)).toBe(true);
    expect(contradicts(german, { scores: scores(0.9) }, LIST)).toBe(false);
  });
});

test("property: noise around any threshold never moves the language back and forth", () => {
  const noisy = tuple(double({ min: 0, max: 1, noNaN: true }), array(double({ min: -0.04, max: 0.04, noNaN: true })));
  const calls = tuple(noisy, constantFrom(800, 1_500, 4_000));
  assert(
    property(calls, ([[threshold, noise], spokenMs]) => {
      let choice = firstChoice("en");
      let changes = 0;
      for (const [turn, shift] of noise.entries()) {
        const next = heard(choice, turn, Math.min(1, Math.max(0, threshold + shift)), spokenMs);
        if (next.language !== choice.language) changes += 1;
        choice = next;
      }
      // A guess, and a decision that corrects it.
      expect(changes).toBeLessThanOrEqual(2);
    }),
  );
});

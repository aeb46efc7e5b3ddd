import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseText,
  readingsOf,
  textsOf,
  type Candidate,
  type Expected,
} from "../../../../src/engines/stt/ears/choose-text.ts";
import type { ScoredText } from "../../../../src/engines/stt/ears/scored-text.ts";

const NOTHING: Expected = { answers: [], phrases: [] };

/** A text with the same log-probability for each word. */
const scored = (text: string, each: number): ScoredText =>
  text.split(" ").map((word) => ({ bytes: ` ${word}`, logProbability: each }));

/** Both ears give each word of a text the score that `scoreOf` has for it. */
const heardAlike = (texts: readonly string[], scoreOf: (word: string) => number) =>
  new Map(
    texts.map((text): [string, Candidate] => {
      const words = text.split(" ").map((word) => ({ bytes: ` ${word}`, logProbability: scoreOf(word) }));
      return [text, { text, fast: words, sure: words }];
    }),
  );

/** Each text with the score of both ears for all of it. */
const heard = (scores: Readonly<Record<string, number>>) =>
  new Map(
    Object.entries(scores).map(([text, score]): [string, Candidate] => {
      const words = scored(text, score / text.split(" ").length);
      return [text, { text, fast: words, sure: words }];
    }),
  );

const textOf = ({ words }: ReturnType<typeof chooseText>) => words.map(({ word }) => word).join(" ");

describe("textsOf", () => {
  it("has both texts and those with one passage of the fast ear's, each once", () => {
    expect(textsOf(readingsOf("turn on the lights", "turn of the light"))).toEqual([
      "turn on the lights",
      "turn of the light",
      "turn of the lights",
      "turn on the light",
    ]);
    expect(textsOf(readingsOf("yes", "yes"))).toEqual(["yes"]);
    expect(textsOf(readingsOf("yes", ""))).toEqual(["yes"]);
    expect(textsOf(readingsOf("", ""))).toEqual([]);
  });

  it("has only both texts when they differ at many places", () => {
    const sure = "a = b = c = d = e = f = g";
    expect(textsOf(readingsOf(sure, sure.toUpperCase().replaceAll(/[A-G]/gu, "$&1")))).toHaveLength(2);
  });
});

describe("chooseText", () => {
  it("takes from the fast ear the passages that are likelier to both", () => {
    const readings = readingsOf("turn on the lights", "turn of the light");
    const candidates = heardAlike(textsOf(readings), (word) => ({ of: -9, lights: -4 })[word] ?? -1);
    const chosen = chooseText(readings, candidates, NOTHING);
    expect(textOf(chosen)).toBe("turn on the light");
    expect(chosen.answer).toBeUndefined();
    expect(chosen.words.map(({ isAgreed }) => isAgreed)).toEqual([true, false, true, false]);
    expect(chosen.words.map(({ logProbability }) => logProbability)).toEqual([-1, -1, -1, -1]);
  });

  it("gives each word the place of the fast ear's words", () => {
    const readings = readingsOf("please turn it on now", "turn on");
    const { words } = chooseText(
      readings,
      heardAlike(textsOf(readings), () => -1),
      NOTHING,
    );
    // The shorter text is likelier.
    expect(words.map(({ word, place }) => ({ word, ...place }))).toEqual([
      { word: "turn", first: 0, count: 1, at: 0, of: 1 },
      { word: "on", first: 1, count: 1, at: 0, of: 1 },
    ]);
  });

  it("counts both ears alike", () => {
    const readings = readingsOf("nine", "wine");
    const of = (text: string, fast: number, sure: number) =>
      [text, { text, fast: scored(text, fast), sure: scored(text, sure) }] as const;
    expect(textOf(chooseText(readings, new Map([of("nine", -9, -1), of("wine", -1, -8)]), NOTHING))).toBe("wine");
    expect(textOf(chooseText(readings, new Map([of("nine", -9, -1), of("wine", -1, -10)]), NOTHING))).toBe("nine");
  });

  it("never chooses a text that is less likely than that of one ear, when passages do not depend on each other", () => {
    const score = fc.double({ min: -20, max: 0, noNaN: true });
    const side = fc.integer({ min: 0, max: 2 });
    const passage = fc.record({ sure: side, fast: side, common: side });
    fc.assert(
      fc.property(
        fc.array(passage, { maxLength: 9 }),
        fc.array(score, { minLength: 60, maxLength: 60 }),
        (all, table) => {
          let used = 0;
          const scores = new Map<string, number>();
          const wordsOf = (name: string, count: number) =>
            Array.from({ length: count }, () => {
              const word = `${name}${String(used)}`;
              scores.set(word, table[used++ % table.length] ?? 0);
              return word;
            });
          const [sure, fast]: [string[], string[]] = [[], []];
          for (const each of all) {
            const common = wordsOf("both", each.common);
            sure.push(...wordsOf("sure", each.sure), ...common);
            fast.push(...wordsOf("fast", each.fast), ...common);
          }
          const readings = readingsOf(sure.join(" "), fast.join(" "));
          const candidates = heardAlike(textsOf(readings), (word) => scores.get(word) ?? 0);
          const total = (words: readonly string[]) => words.reduce((sum, word) => sum + (scores.get(word) ?? 0), 0);
          const chosen = chooseText(readings, candidates, NOTHING).words.map(({ word }) => word);
          // A text without words has no score.
          const whole = [sure, fast].filter((words) => words.length > 0).map(total);
          if (whole.length === 2) expect(total(chosen)).toBeGreaterThanOrEqual(Math.max(...whole) - 1e-9);
        },
      ),
    );
  });

  describe("with likely answers", () => {
    const no = { writings: ["No."], advantage: 1 };
    const nine = { writings: ["Nine.", "9", "9."], advantage: 3 };

    it("chooses one that is nearly as likely as the word that an ear wrote", () => {
      const readings = readingsOf("Know.", "Know.");
      const candidates = heard({ "Know.": -3, "No.": -3.5 });
      expect(chooseText(readings, candidates, { answers: [no], phrases: [] }).answer).toBe("No.");
      expect(chooseText(readings, heard({ "Know.": -3, "No.": -4.5 }), { answers: [no], phrases: [] }).answer).toBe(
        undefined,
      );
    });

    it("has none when both ears wrote several words", () => {
      const candidates = heard({ "know it": -3, "know that": -3, "No.": -1 });
      const answers = { answers: [no], phrases: [] };
      expect(chooseText(readingsOf("know it", "know that"), candidates, answers).answer).toBeUndefined();
      expect(chooseText(readingsOf("know it", "know"), candidates, answers).answer).toBe("No.");
    });

    it("adds the probabilities of an answer's writings", () => {
      const readings = readingsOf("None.", "None.");
      const alone = heard({ "None.": -3, "Nine.": -6.5 });
      const together = heard({ "None.": -3, "Nine.": -6.5, "9": -6.5, "9.": -6.5 });
      expect(chooseText(readings, alone, { answers: [nine], phrases: [] }).answer).toBeUndefined();
      expect(chooseText(readings, together, { answers: [nine], phrases: [] }).answer).toBe("Nine.");
    });

    it("chooses the likeliest of them", () => {
      const candidates = heard({ "Know.": -9, "No.": -4, "Nine.": -5 });
      const chosen = chooseText(readingsOf("Know.", "Know."), candidates, { answers: [no, nine], phrases: [] });
      expect(chosen.answer).toBe("Nine.");
      expect(chosen.words).toEqual([
        { word: "Nine.", place: { first: 0, count: 1, at: 0, of: 1 }, isAgreed: false, logProbability: -5 },
      ]);
    });

    it("passes over those that were not scored", () => {
      const unscored: [string, Candidate] = ["Nine.", { text: "Nine.", fast: [], sure: [] }];
      const candidates = new Map([unscored, ...heard({ "Know.": -9, "No.": -4 })]);
      const readings = readingsOf("Know.", "Know.");
      for (const answers of [
        [nine, no],
        [no, nine],
      ])
        expect(chooseText(readings, candidates, { answers, phrases: [] }).answer).toBe("No.");
    });

    it("has phrases in texts of any length", () => {
      const phrases = [{ writings: ["call Oakvoice now"], advantage: 5 }];
      const candidates = heard({ "call oak voice now": -8, "call Oakvoice now": -12 });
      const readings = readingsOf("call oak voice now", "call oak voice now");
      expect(textOf(chooseText(readings, candidates, { answers: [], phrases }))).toBe("call Oakvoice now");
    });
  });

  describe("when an ear wrote nothing", () => {
    const stop = { answers: [{ writings: ["Stop."], advantage: 1 }], phrases: [] };

    it("takes the other ear's text", () => {
      expect(textOf(chooseText(readingsOf("", "hello there"), heard({ "hello there": -5 }), NOTHING))).toBe(
        "hello there",
      );
      expect(textOf(chooseText(readingsOf("hello there", ""), heard({ "hello there": -5 }), NOTHING))).toBe(
        "hello there",
      );
    });

    it("takes an answer only when it is likelier than the other ear's text", () => {
      for (const readings of [readingsOf("", "hello there"), readingsOf("hello there", "")]) {
        expect(textOf(chooseText(readings, heard({ "hello there": -2, "Stop.": -9 }), stop))).toBe("hello there");
        expect(textOf(chooseText(readings, heard({ "hello there": -9, "Stop.": -2 }), stop))).toBe("Stop.");
      }
    });

    it("has no words without a likely answer", () => {
      expect(chooseText(readingsOf("", ""), new Map(), NOTHING)).toEqual({ words: [], answer: undefined });
    });
  });

  it("keeps an answer that is likelier than a text that an ear cannot score", () => {
    const readings = readingsOf("Know.", "Now.");
    const unscored: [string, Candidate] = ["Know.", { text: "Know.", fast: [], sure: [] }];
    const candidates = new Map([unscored, ...heard({ "Now.": -9, "No.": -2 })]);
    expect(
      chooseText(readings, candidates, { answers: [{ writings: ["No."], advantage: 1 }], phrases: [] }).answer,
    ).toBe("No.");
  });
});

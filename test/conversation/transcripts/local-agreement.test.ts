import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  agree,
  NOTHING_AGREED,
  wordsAfter,
  withShownTimes,
  wordsTakenBack,
  type Agreement,
} from "../../../src/conversation/transcripts/local-agreement.ts";
import type { Word } from "../../../src/engines/stt/speech-to-text.ts";

/** Words of 0.3 s each without gaps, starting at `from` seconds. */
function words(text: string, from = 0): Word[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word, index) => ({ word, start: from + index * 0.3, end: from + (index + 1) * 0.3, confidence: 0.9 }));
}
/** The end of a clip in which all words are whole, in seconds. */
const LATER = 100;
const textOf = (list: readonly Word[]) => list.map(({ word }) => word).join(" ");
const after = (...decodes: string[]) =>
  decodes.reduce((state, text) => agree(state, words(text), LATER), NOTHING_AGREED);
const shown = (...decodes: string[]) => textOf(after(...decodes).published);

describe("shown words", () => {
  test.each([
    ["nothing after one decode", ["turn on the"], ""],
    ["the words on which two decodes agree", ["turn on", "turn on the lights"], "turn on"],
    ["all words when both decodes have them", ["turn on the", "turn on the"], "turn on the"],
    ["nothing when they differ from the first word on", ["burn on the", "turn on the"], ""],
    ["only up to the first difference", ["turn off the light", "turn on the light"], "turn"],
    ["case and punctuation of the later decode", ["Turn on.", "turn on, the light"], "turn on,"],
    [
      "words on which two successive decodes agree, not decodes with another one between them",
      ["turn on the", "burn", "turn on the"],
      "",
    ],
    ["the same words after an empty decode", ["turn on the", "turn on the", "", "turn on the lamp"], "turn on the"],
  ])("%s", (_, decodes, expected) => {
    expect(shown(...decodes)).toBe(expected);
  });

  test("stay when later decodes have other words in their place, and new words follow", () => {
    const before = after("turn on the light", "turn on the light in");
    expect(textOf(before.published)).toBe("turn on the light");
    const next = ["turn off the light in the kitchen", "turn off the light in the kitchen please"];
    const state = next.reduce((now, text) => agree(now, words(text), LATER), before);
    expect(textOf(state.published)).toBe("turn on the light in the kitchen");
  });

  test("do not repeat a word that a later decode inserts in front", () => {
    const state = ["well what time is it", "well what time is it in"].reduce(
      (now, text) => agree(now, words(text), LATER),
      after("what time is", "what time is it"),
    );
    expect(textOf(state.published)).toBe("what time is it");
  });
});

test("a word that ends within the last 0.1 s of its clip is shown with the next clip that has it", () => {
  const showing = (end: number) => {
    const state = [words("turn on the"), words("turn on the")].reduce(
      (now, decoded) => agree(now, decoded, end),
      NOTHING_AGREED,
    );
    return textOf(state.published);
  };
  expect(showing(0.95)).toBe("turn on");
  expect(showing(1)).toBe("turn on the");
});

describe("final words", () => {
  test("keep the times that were shown for the same words", () => {
    const published = words("turn on the light");
    const final = withShownTimes(published, words("Turn on a light, please", 0.05));
    expect(textOf(final)).toBe("Turn on a light, please");
    expect(final.map(({ start }) => start)).toEqual([0, 0.3, 0.65, published[3]?.start, expect.closeTo(1.25, 5)]);
    expect(final[2]?.end).toBeLessThanOrEqual(final[3]?.start ?? 0);
  });

  test("wordsTakenBack counts shown words that the final lacks", () => {
    expect(wordsTakenBack(words("turn on the light"), words("Turn on a light, please."))).toBe(1);
    expect(wordsTakenBack(words("turn on the"), words("turn on the light"))).toBe(0);
    expect(wordsTakenBack(words("turn on"), [])).toBe(2);
  });
});

describe("a clip that begins after words that are known", () => {
  const known = words("turn on the light in the hall");
  // "light" begins at 0.9 s, "in" at 1.2 s, "the" at 1.5 s.
  const clip = { knownFrom: 0.5, from: 1.15 };

  test.each([
    ["at a word", words("in the hall please", 1.2), "please"],
    ["a word early", words("light in the hall please", 0.9), "please"],
    ["in the middle of a word, and hears another one", words("kite in the hall please", 0.9), "please"],
    ["with times that are wrong", words("in the hall please", 1.35), "please"],
    ["a word late", words("the hall please", 1.5), "please"],
  ])("%s neither repeats nor loses words", (_, decoded, expected) => {
    expect(textOf(wordsAfter(known, decoded, clip))).toBe(expected);
  });

  test("in a pause keeps words that the caller repeats", () => {
    const again = { knownFrom: 2.5, from: 2.6 };
    expect(textOf(wordsAfter(known, words("in the hall", 2.7), again))).toBe("in the hall");
  });
});

describe("for any decodes", () => {
  const decode = fc
    .array(fc.tuple(fc.constantFrom("a", "b", "c", "A.", "d"), fc.integer({ min: 0, max: 400 })), { maxLength: 12 })
    .map((list) => {
      let at = 0;
      return list.map(([word, ms]): Word => {
        const start = at;
        at += ms / 1000;
        return { word, start, end: at, confidence: 0.5 };
      });
    });
  const decodes = fc.array(decode, { maxLength: 12 });
  const isInOrder = (list: readonly Word[]) =>
    list.every(({ start, end }, index) => start >= (list[index - 1]?.end ?? 0) && end >= start);
  const run = (list: readonly (readonly Word[])[], onStep: (before: Agreement, now: Agreement, at: number) => void) => {
    let state = NOTHING_AGREED;
    for (const [at, decoded] of list.entries()) {
      const now = agree(state, decoded, LATER);
      onStep(state, now, at);
      state = now;
    }
    return state;
  };

  test("words are only appended, keep their times and spelling, and times never decrease", () => {
    fc.assert(
      fc.property(decodes, (list) => {
        const end = run(list, (before, now) => {
          expect(now.published.slice(0, before.published.length)).toEqual(before.published);
          expect(isInOrder(now.published)).toBe(true);
        });
        for (const final of list) {
          const timed = withShownTimes(end.published, final);
          expect(timed.map(({ word }) => word)).toEqual(final.map(({ word }) => word));
          expect(isInOrder(timed)).toBe(true);
          const takenBack = wordsTakenBack(end.published, final);
          expect(takenBack).toBeGreaterThanOrEqual(0);
          expect(takenBack).toBeLessThanOrEqual(end.published.length);
        }
      }),
    );
  });

  test("each shown word is in both of the last two decodes", () => {
    const spoken = (list: readonly Word[]) => list.map(({ word }) => word.toLowerCase().replace(".", "")).join("");
    fc.assert(
      fc.property(decodes, (list) => {
        run(list, (before, now, at) => {
          const added = spoken(now.published.slice(before.published.length));
          if (added === "") return;
          expect(spoken(list[at - 1] ?? [])).toContain(added);
          expect(spoken(list[at] ?? [])).toContain(added);
        });
      }),
    );
  });

  test("errors in the newest words of a decode are never shown", () => {
    const sentence = "set a timer for ten minutes and turn on the light in the kitchen".split(" ");
    fc.assert(
      fc.property(fc.array(fc.record({ more: fc.nat(3), slip: fc.boolean() }), { maxLength: 20 }), (steps) => {
        let heard = 0;
        const list = steps.map(({ more, slip }, at) => {
          heard = Math.min(sentence.length, heard + more);
          const said = sentence.slice(0, heard);
          // A word that is cut off is decoded differently each time.
          return words([...said, ...(slip ? [`half${String(at)}`] : [])].join(" "));
        });
        const { published } = run(list, () => undefined);
        expect(sentence.join(" ").startsWith(textOf(published))).toBe(true);
      }),
    );
  });
});

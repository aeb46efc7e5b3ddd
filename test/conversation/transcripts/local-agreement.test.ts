import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  agree,
  NOTHING_AGREED,
  reconcile,
  wordsAfter,
  withShownTimes,
  wordsTakenBack,
  type Agreement,
} from "../../../src/conversation/transcripts/local-agreement.ts";
import type { Word } from "../../../src/engines/stt/speech-to-text.ts";

/** Words that follow each other without a gap, 0.3 s each, from `from` seconds on. */
function words(text: string, from = 0): Word[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word, index) => ({ word, start: from + index * 0.3, end: from + (index + 1) * 0.3, confidence: 0.9 }));
}
const textOf = (list: readonly Word[]) => list.map(({ word }) => word).join(" ");
const after = (...decodes: string[]) => decodes.reduce((state, text) => agree(state, words(text)), NOTHING_AGREED);
const shown = (...decodes: string[]) => textOf(after(...decodes).published);

describe("what is shown", () => {
  test.each([
    ["nothing after one decode", ["turn on the"], ""],
    ["what two decodes agree on", ["turn on", "turn on the lights"], "turn on"],
    ["not the newest word, though both say it", ["turn on the", "turn on the"], "turn on"],
    ["nothing where they differ from the first word on", ["burn on the", "turn on the"], ""],
    ["only up to the first difference", ["turn off the light", "turn on the light"], "turn"],
    ["case and punctuation aside, as the later decode writes it", ["Turn on.", "turn on, the light"], "turn on,"],
    ["two neighbours, not one and the one before the last", ["turn on the", "burn", "turn on the"], ""],
    [
      "an empty decode in between takes nothing back",
      ["turn on the", "turn on the", "", "turn on the lamp"],
      "turn on",
    ],
  ])("%s", (_, decodes, expected) => {
    expect(shown(...decodes)).toBe(expected);
  });

  test("what was shown stays when later decodes say something else in its place, and new words follow it", () => {
    const before = after("turn on the light", "turn on the light in");
    expect(textOf(before.published)).toBe("turn on the light");
    const next = ["turn off the light in the kitchen", "turn off the light in the kitchen please"];
    const state = next.reduce((now, text) => agree(now, words(text)), before);
    expect(textOf(state.published)).toBe("turn on the light in the kitchen");
  });

  test("a word that a later decode puts in front is not shown twice", () => {
    const state = ["well what time is it", "well what time is it in"].reduce(
      (now, text) => agree(now, words(text)),
      after("what time is", "what time is it"),
    );
    expect(textOf(state.published)).toBe("what time is it");
  });
});

describe("the final", () => {
  test("keeps the times that were shown, in its own words and order", () => {
    const published = words("turn on the light");
    const final = withShownTimes(published, words("Turn on a light, please", 0.05));
    expect(textOf(final)).toBe("Turn on a light, please");
    expect(final.map(({ start }) => start)).toEqual([0, 0.3, 0.65, published[3]?.start, expect.closeTo(1.25, 5)]);
    expect(final[2]?.end).toBeLessThanOrEqual(final[3]?.start ?? 0);
  });

  test("words taken back are those that the final does not have", () => {
    expect(wordsTakenBack(words("turn on the light"), words("Turn on a light, please."))).toBe(1);
    expect(wordsTakenBack(words("turn on the"), words("turn on the light"))).toBe(0);
    expect(wordsTakenBack(words("turn on"), [])).toBe(2);
  });
});

describe("settled words and a final", () => {
  const sure = (list: readonly Word[], confidence: number) => list.map((word) => ({ ...word, confidence }));
  const settled = sure(words("book a table for two"), 0.7);

  test.each([
    ["more words after them", "book a table for two tomorrow", 0.5, "book a table for two tomorrow"],
    ["other words, not clearly surer", "look at able for two tomorrow", 0.8, "book a table for two tomorrow"],
    ["other words, clearly surer", "cook a stable for two", 0.9, "cook a stable for two"],
    ["a word less, not clearly surer", "book table for two", 0.8, "book a table for two"],
    ["a word more, clearly surer", "book me a table for two", 0.9, "book me a table for two"],
    ["nothing", "", 0, "book a table for two"],
    ["their spelling", "Book a table, for two.", 0.5, "Book a table, for two."],
  ])("the final says %s", (_, text, confidence, expected) => {
    expect(textOf(reconcile(settled, sure(words(text), confidence)))).toBe(expected);
  });

  test("without settled words the final stands", () => {
    expect(textOf(reconcile([], words("what time is it")))).toBe("what time is it");
  });
});

describe("a clip that begins after the first words", () => {
  const known = words("turn on the light in the hall");
  // "light" begins at 0.9 s, "in" at 1.2 s, "the" at 1.5 s.
  const clip = { knownFrom: 0.5, from: 1.15 };

  test.each([
    ["at a word", words("in the hall please", 1.2), "please"],
    ["a word early", words("light in the hall please", 0.9), "please"],
    ["in the middle of a word, and hears another one", words("kite in the hall please", 0.9), "please"],
    ["with times that are wrong", words("in the hall please", 1.35), "please"],
    ["a word late", words("the hall please", 1.5), "please"],
  ])("%s says nothing twice and leaves nothing out", (_, decoded, expected) => {
    expect(textOf(wordsAfter(known, decoded, clip))).toBe(expected);
  });

  test("in a pause, says again what the caller says again", () => {
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
      const now = agree(state, decoded);
      onStep(state, now, at);
      state = now;
    }
    return state;
  };

  test("words only append, their times and spelling stay, and times never run backwards", () => {
    fc.assert(
      fc.property(decodes, (list) => {
        const end = run(list, (before, now) => {
          expect(now.published.slice(0, before.published.length)).toEqual(before.published);
          expect(isInOrder(now.published)).toBe(true);
        });
        for (const final of list) {
          const reconciled = reconcile(end.published, final);
          // All words are of the same confidence.
          expect(wordsTakenBack(end.published, reconciled)).toBe(0);
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

  test("each word shown was said by both of the last two decodes, and is not the newest of the later one", () => {
    const spoken = (list: readonly Word[]) => list.map(({ word }) => word.toLowerCase().replace(".", "")).join("");
    fc.assert(
      fc.property(decodes, (list) => {
        run(list, (before, now, at) => {
          const added = spoken(now.published.slice(before.published.length));
          if (added === "") return;
          expect(spoken(list[at - 1] ?? [])).toContain(added);
          expect(spoken(list[at] ?? []).slice(0, -1)).toContain(added);
        });
      }),
    );
  });

  test("a recogniser that only errs at the end of what it has heard is shown without an error", () => {
    const sentence = "set a timer for ten minutes and turn on the light in the kitchen".split(" ");
    fc.assert(
      fc.property(fc.array(fc.record({ more: fc.nat(3), slip: fc.boolean() }), { maxLength: 20 }), (steps) => {
        let heard = 0;
        const list = steps.map(({ more, slip }, at) => {
          heard = Math.min(sentence.length, heard + more);
          const said = sentence.slice(0, heard);
          // A word half heard is another one each time.
          return words([...said, ...(slip ? [`half${String(at)}`] : [])].join(" "));
        });
        const { published } = run(list, () => undefined);
        expect(sentence.join(" ").startsWith(textOf(published))).toBe(true);
      }),
    );
  });
});

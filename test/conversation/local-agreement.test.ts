import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  agree,
  NOTHING_AGREED,
  settle,
  withShownTimes,
  wordsTakenBack,
  type Agreement,
} from "../../src/conversation/local-agreement.ts";
import type { Word } from "../../src/stt/contract.ts";

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
          const settled = settle(end, final);
          expect(settled.slice(0, end.published.length)).toEqual(end.published);
          expect(isInOrder(settled)).toBe(true);
          const timed = withShownTimes(end.published, final);
          expect(timed.map(({ word }) => word)).toEqual(final.map(({ word }) => word));
          expect(isInOrder(timed)).toBe(true);
          const takenBack = wordsTakenBack(end.published, final);
          expect(takenBack).toBeGreaterThanOrEqual(0);
          expect(takenBack).toBeLessThanOrEqual(end.published.length);
          expect(wordsTakenBack(end.published, settled)).toBe(0);
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

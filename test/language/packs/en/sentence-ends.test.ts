import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packageRoot } from "../../../../src/shared/package-root.ts";
import { SentenceEnds, sentenceEndsSchema } from "../../../../src/language/packs/en/sentence-ends.ts";
import { DEFAULT_SETTINGS } from "../../../../src/config/settings/session-settings.ts";
import { scorePause } from "../../../../src/conversation/turn/evidence/end-of-turn.ts";
import { NO_HABITS } from "../../../../src/conversation/turn/evidence/habits.ts";
import { turnPolicy } from "../../../../src/conversation/turn/evidence/policy.ts";
import { UNKNOWN_RATE } from "../../../../src/conversation/turn/evidence/speaking-rate.ts";
import { soundsUnfinished } from "../../../../src/language/packs/en/unfinished.ts";

const path = join(packageRoot, "models", "starter", "turn", "turn-words.json");
const ends = new SentenceEnds(sentenceEndsSchema.parse(JSON.parse(readFileSync(path, "utf8"))));

test.each([
  "set a timer for ten minutes",
  "what is the weather in london tomorrow",
  "turn on the lights in the kitchen please",
  "no thank you",
  "can you call me a taxi to the airport",
])('"%s" may be all', (text) => expect(ends.odds(text, false)).toBeGreaterThan(0.5));

test.each([
  "set a timer for",
  "i would like to",
  "my name is",
  "can you tell me",
  "actually i want",
  "book a table for two and",
])('"%s" is not all', (text) => expect(ends.odds(text, false)).toBeLessThan(-1));

test("one word, or a few words after a question, may be complete and do not cause a long wait", () => {
  for (const text of ["yes", "no", "five", "london"]) expect(ends.odds(text, false)).toBeGreaterThanOrEqual(-1);
  for (const text of ["yes", "at seven", "to new york"]) expect(ends.odds(text, true)).toBeGreaterThanOrEqual(0);
  expect(ends.odds("turn on", false)).toBeLessThan(-2);
  expect(ends.odds("i would like to", true)).toBeLessThan(-2);
});

test.each(["carry on", "turn it on", "i'm done", "what is it for", "plan A", "neither do i"])(
  '"%s" is complete, whatever the statistics of its words',
  (text) => expect(ends.odds(text, false)).toBeGreaterThanOrEqual(0),
);

test.each([
  ["I need to go to the ER.", 220, false],
  ["take me to terminal a", 400, false],
  ["set a timer for", 2000, true],
  ["My name is.", 2000, true],
])('after "%s" in a voice that sounds finished the wait is about %i ms', (text, atMostMs, expectsMore) => {
  const policy = turnPolicy(DEFAULT_SETTINGS.turnDetection);
  const words = { unfinished: soundsUnfinished(text), wordOdds: ends.odds(text, false) };
  const known = {
    silentMs: 200,
    turnMs: 1600,
    probability: 0.97,
    habits: NO_HABITS,
    rate: UNKNOWN_RATE,
    leastWaitMs: 0,
    ...words,
  };
  const weight = scorePause(known, policy);
  expect(weight.expectsMore).toBe(expectsMore);
  expect(weight.waitMs).toBeLessThanOrEqual(atMostMs);
  if (expectsMore) expect(weight.waitMs).toBeGreaterThan(1000);
});

test("case, punctuation and how numbers are written make no difference", () => {
  const odds = ends.odds("set a timer for ten minutes", false);
  expect(ends.odds("Set a timer for 10 minutes.", false)).toBe(odds);
  expect(ends.odds("set a timer, for TEN minutes", false)).toBe(odds);
});

test("the odds of any text are within their limits, and an empty text has odds of 0", () => {
  expect(ends.odds("", false)).toBe(0);
  expect(ends.odds("... ?!", false)).toBe(0);
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      const odds = ends.odds(text, true);
      expect(odds >= -2.5 && odds <= 2).toBe(true);
    }),
  );
});

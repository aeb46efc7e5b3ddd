import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { soundsUnfinished } from "../../../../src/language/packs/en/unfinished.ts";

test.each([
  "turn on the",
  "bread, milk and",
  "Send it to my",
  "well um",
  "when I get home,",
  "I was thinking...",
  "But...",
  "Well",
  "So.",
  "I'd",
  "set a timer for",
  "Set a timer for.",
  "my name is",
  "Yes, my name is.",
  "wake me up at",
  "what is the weather in",
  "how do I get to",
  "set a timer for twenty",
  "could you please call",
  "turn on the er",
])('"%s" cannot be all', (text) => expect(soundsUnfinished(text)).toBe(true));

test.each([
  "leave the hall light on",
  "I am not so sure about that.",
  "is it still on?",
  "check in",
  "I think so",
  "Yes.",
  "hello",
  "yes I would",
  "",
  "..!",
  "42",
  "I need to go to the ER.",
  "i need to go to the er",
  "We live in Portland, OR.",
  "plan A",
  "terminal a",
  "gate 12 a",
  "my postcode is sw1 a",
  "that's what I was wondering",
  "what is it for",
  "where are you from",
  "that's what I'm waiting for",
  "set a timer for twenty minutes",
])('"%s" can be all', (text) => expect(soundsUnfinished(text)).toBe(false));

const phrases = (name: string): string[] =>
  readFileSync(new URL(`fixtures/${name}.txt`, import.meta.url), "utf8")
    .trim()
    .split("\n");

/** As a recogniser without punctuation and capitals writes it, and as one that puts a full stop after every pause. */
const asHeard = (text: string): string[] => {
  const bare = text.toLowerCase().replace(/[.,?!]/g, "");
  return [text, bare, `${text.replace(/[.?!]$/, "")}.`];
};

test("nearly all unfinished phrases are found, in every spelling", () => {
  const missed = phrases("unfinished").filter((text) => !asHeard(text).every(soundsUnfinished));
  expect(missed).toEqual([
    "please turn on the lights in",
    "if you could",
    "Okay, I want to",
    "but it",
    "maybe we could",
  ]);
});

test("complete sentences are not taken for unfinished ones, also when they end in such words", () => {
  const slow = phrases("complete").filter((text) => asHeard(text).some(soundsUnfinished));
  // Only capitals tell these from the article and the conjunction.
  expect(slow).toEqual([
    "my blood type is A",
    "i'm from portland OR",
    "We live in Portland, OR.",
    "take him to the OR",
  ]);
});

test("a long text takes no longer than a short one", () => {
  for (const part of ["a ", "....", "what is the ", "aaaa", "' ", "and one "])
    expect(soundsUnfinished(part.repeat(50_000))).toBeTypeOf("boolean");
});

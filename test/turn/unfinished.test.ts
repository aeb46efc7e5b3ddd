import { expect, test } from "vitest";
import { soundsUnfinished } from "../../src/turn/unfinished.ts";

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
])('"%s" can be all', (text) => expect(soundsUnfinished(text)).toBe(false));

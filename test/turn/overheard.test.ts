import { expect, test } from "vitest";
import { sortOverheard } from "../../src/turn/overheard.ts";

test.each([
  ["", "nothing"],
  ["Mm-hmm.", "backchannel"],
  ["uh huh", "backchannel"],
  ["Yeah, okay.", "backchannel"],
  ["I see.", "backchannel"],
  ["That's right", "backchannel"],
  ["Okay, got it, thank you.", "backchannel"],
  ["Stop!", "command"],
  ["no no that one", "command"],
  ["yeah wait", "command"],
  ["Tomorrow?", "word"],
  ["the kitchen lights", "words"],
  ["okay and what about tomorrow", "words"],
  // What recognisers make of a hum or of half a word.
  ["you're", "unclear"],
  ["a", "unclear"],
] as const)("%j, said and done, is %s", (text, heard) => {
  expect(sortOverheard(text, true)).toBe(heard);
});

test.each([
  ["seven", "unclear"],
  ["yeah open", "backchannel"],
  ["turn on the l", "word"],
  ["turn lights o", "words"],
  ["stop", "command"],
] as const)("%j, still going on: its newest word counts only as an order: %s", (text, heard) => {
  expect(sortOverheard(text, false)).toBe(heard);
});

test("words of the reply that come back as an echo are no evidence", () => {
  const own = new Set(["the", "lights", "are", "on"]);
  expect(sortOverheard("the lights are", true, own)).toBe("nothing");
  expect(sortOverheard("lights turn around", true, own)).toBe("words");
  expect(sortOverheard("stop the lights", true, own)).toBe("command");
});

import { expect, test } from "vitest";
import { judgeOverlap, type Circumstances } from "../../../../src/conversation/turn/evidence/judge-overlap.ts";
import { english } from "../../../../src/language/packs/en/en.ts";

const judge = (text: string, circumstances: Circumstances) => judgeOverlap(text, circumstances, english.overlap);

test.each([
  ["", "nothing"],
  ["Mm-hmm.", "backchannel"],
  ["NMHMM", "backchannel"],
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
  // "Makes sense" with a pause in it, or cut off.
  ["makes", "backchannel"],
  ["Thank.", "backchannel"],
  ["sound", "word"],
  ["okay and what about tomorrow", "words"],
  // Typical decodes of a hum or of half a word.
  ["you're", "unclear"],
  ["a", "unclear"],
] as const)("%j in a sound that has ended is %s", (text, heard) => {
  expect(judge(text, { ended: true, sureOfNewest: 0 })).toBe(heard);
});

test.each([
  ["seven", 0.96, "unclear"],
  ["seven", 0.97, "word"],
  ["yeah open", 0.7, "backchannel"],
  ["turn on the l", 0.7, "word"],
  ["turn lights o", 0.7, "words"],
  ["turn lights", 0.97, "words"],
  ["you", 1, "unclear"],
  // The recogniser mishears half of "great" or "wow" as "wait".
  ["wait", 0.4, "unclear"],
  ["stop", 0.7, "command"],
  ["wait a", 0.1, "command"],
  // A back-channel may begin like this.
  ["that's wrong", 0.94, "backchannel"],
  ["very gue", 0.44, "backchannel"],
  ["makes sir", 0.68, "backchannel"],
  ["sounds", 0.94, "backchannel"],
  ["so", 0.4, "backchannel"],
  ["oh re", 1, "backchannel"],
  ["that's wrong", 0.99, "words"],
  ["that's wrong it's", 0.6, "words"],
  ["no re", 1, "command"],
] as const)("%j in a continuing sound, with confidence %f of its newest word, is %s", (text, sureOfNewest, heard) => {
  expect(judge(text, { ended: false, sureOfNewest })).toBe(heard);
});

test.each([
  ["sounds", "backchannel"],
  ["that's g", "backchannel"],
  ["Very", "backchannel"],
  ["sounds like", "words"],
  ["that's not", "words"],
  ["i", "unclear"],
] as const)("%j in a continuing sound, which may begin a back-channel, is %s", (text, heard) => {
  expect(judge(text, { ended: false, sureOfNewest: 1 })).toBe(heard);
});

test("words of the reply that return as an echo are ignored", () => {
  const ownSpeech = "The lights are on.";
  const over = { ended: true, sureOfNewest: 0 };
  expect(judge("the lights are", { ...over, ownSpeech })).toBe("nothing");
  expect(judge("a light or", { ...over, ownSpeech })).toBe("unclear");
  expect(judge("look the", { ...over, ownSpeech })).toBe("unclear");
  expect(judge("wait", { ...over, ownSpeech: "The kitchen waits." })).toBe("command");
  expect(judge("lights turn around", { ...over, ownSpeech })).toBe("words");
  expect(judge("stop the lights", { ...over, ownSpeech })).toBe("command");
});

test.each([
  ["you're t ble", "nothing"],
  ["your table for for", "nothing"],
  ["is booked four half", "nothing"],
  ["a table for two please", "words"],
  ["seven", "nothing"],
  ["eleven", "word"],
  ["hello", "word"],
  ["no", "command"],
] as const)("%j while the reply may return as a misheard echo is %s", (text, heard) => {
  const ownSpeech = "Your table for four is booked for half past seven.";
  expect(judge(text, { ended: true, sureOfNewest: 1, ownSpeech })).toBe(heard);
});

test.each([
  ["the house is quiet today turn on the lights on the fifth", "words"],
  ["the house is quiet today and all the flights are of", "nothing"],
  ["the house is quiet today and oh", "nothing"],
  ["day", "nothing"],
  ["monday", "word"],
] as const)("%j in one sound with the echo of the reply is %s", (text, kind) => {
  const ownSpeech = "The house is quiet today, and all the lights are off. The heating is on in the kitchen.";
  expect(judge(text, { ended: true, sureOfNewest: 1, ownSpeech })).toBe(kind);
});

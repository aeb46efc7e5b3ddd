import { expect, test } from "vitest";
import { asksFor, expectedAnswer } from "../../../../src/language/packs/en/expectation.ts";

test.each([
  ["Would you like breakfast with that?", "brief"],
  ["The room is 90 euros. Shall I book it?", "brief"],
  ["Okay, is it for tonight?", "brief"],
  ["What is your phone number?", "dictation"],
  ["Could you spell your last name?", "dictation"],
  ["Please give me the reference number.", "dictation"],
  ["Can you describe the problem?", "dictation"],
  ["What would you like to drink?", "answer"],
  ["Your room number is 12.", "anything"],
  ["Goodbye.", "anything"],
  ["", "anything"],
] as const)("%j asks for an answer of the kind %s", (said, kind) => {
  expect(expectedAnswer(said)).toBe(kind);
});

test.each([
  ["How many people?", "number"],
  ["What is your room number?", "number"],
  ["Please say your date of birth.", "number"],
  ["I have a table. For what time?", "number"],
  ["Could you spell your last name?", "letters"],
  ["Your room number is 12.", undefined],
  ["How many people? Thank you.", undefined],
  ["What is your name?", undefined],
  ["", undefined],
] as const)("%j asks for %s", (said, answer) => {
  expect(asksFor(said)).toBe(answer);
});

import { expect, test } from "vitest";
import { languageOf } from "../../../src/language/packs/languages.ts";
import { inventedIn } from "../../../src/operator/scenarios/invented.ts";

const FACTS = ["You are the desk of Oak Hotel.", "Breakfast is from 7 to 10.", "Check-out is at 11.", "Ask Ms Brown."];

function invented(replied: string, { heard = "", output = "" } = {}): readonly string[] {
  const tools = output === "" ? [] : [{ name: "find", arguments: {}, outcome: "done", output }];
  const turn = {
    said: heard,
    heard,
    replied,
    tools,
    answeredMs: 0,
    overReply: false,
    stoppedReply: false,
    cutOff: false,
  };
  return inventedIn({ turns: [{ ...turn, errors: [] }] }, FACTS, languageOf("en"));
}

test.each([
  "Breakfast is from seven to ten.",
  "Check-out is at 11, I'm afraid.",
  "Please ask Ms Brown.",
  "I have two questions for you.",
])("%s is known", (reply) => {
  expect(invented(reply)).toEqual([]);
});

test("values of the caller and of tools are known", () => {
  expect(invented("Your table for 6 is booked, Tom.", { heard: "a table for six, the name is Tom" })).toEqual([]);
  expect(invented("Your room is 214.", { output: '{"room":214}' })).toEqual([]);
});

test.each([
  ["Breakfast is from seven to nine.", ["9"]],
  ["A room costs 120 dollars.", ["120"]],
  ["Please ask Mr Walker.", ["Mr", "Walker"]],
  ["It takes twenty five minutes.", ["25"]],
])("%s is invented", (reply, values) => {
  expect(invented(reply)).toEqual(values);
});

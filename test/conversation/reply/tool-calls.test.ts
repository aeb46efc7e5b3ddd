import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolCallReader, toolPrompt } from "../../../src/conversation/reply/tool-calls.ts";

const tools = [{ name: "weather", description: "The weather of a city.", parameters: { type: "object" } }];
const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Bonn"}}\n</tool_call>';

function read(pieces: readonly string[]) {
  const reader = new ToolCallReader(tools);
  const parts = [...pieces.map((piece) => reader.push(piece)), reader.flush()];
  return {
    text: parts.map(({ text }) => text).join(""),
    calls: parts.flatMap(({ calls }) => calls.map(({ name, arguments: args }) => [name, args])),
  };
}

test.each([
  ["a call alone", [call], "", 1],
  ["words before a call", ["One moment. ", call], "One moment. ", 1],
  ["two calls", [call, call], "", 2],
  ["a call that is not closed", [call.replace("</tool_call>", "")], "", 1],
  ["an unknown function", [call.replace("weather", "rocket")], "", 0],
  ["text that is not JSON", ["<tool_call>weather in Bonn</tool_call> Yes."], " Yes.", 0],
  ["a lesser sign", ["2 < 3 <tool"], "2 < 3 <tool", 0],
])("%s", (_, pieces, text, calls) => {
  const result = read(pieces);
  expect(result.text).toBe(text);
  expect(result.calls).toEqual(Array.from({ length: calls }, () => ["weather", '{"city":"Bonn"}']));
});

test("property: the pieces that the text comes in change nothing", () => {
  const whole = `Hello <b> there. ${call} Bye.`;
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((to, at) => whole.slice(places[at], to));
      expect(read(pieces)).toEqual(read([whole]));
    }),
  );
});

test("without tools, or when none may be called, the prompt stays as it is", () => {
  expect(toolPrompt([], "auto")).toBe("");
  expect(toolPrompt(tools, "none")).toBe("");
  expect(toolPrompt(tools, { name: "weather" })).toContain("Call weather now.");
});

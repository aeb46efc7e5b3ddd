import { expect, test } from "vitest";
import { secondOrder } from "../../../src/conversation/facts/second-order.ts";
import type { ChatMessage } from "../../../src/engines/llm/language-model.ts";
import { languageOf } from "../../../src/language/packs/languages.ts";

const rooms = { type: "string", enum: ["kitchen", "hallway", "living room"] };
const tool = (name: string) => ({
  name,
  description: "",
  parameters: { type: "object", properties: { room: rooms }, required: ["room"] },
});
const tools = [tool("set_light"), tool("set_temperature"), { ...tool("open"), parameters: {} }];

function of(words: string, done: readonly (readonly [tool: string, room: string])[], code = "en") {
  const messages: ChatMessage[] = [
    { role: "user", content: "the hallway light please" },
    { role: "user", content: `(It is 9:41 PM.)\n${words}` },
    ...done.map(([name, room]) => ({
      role: "call" as const,
      name,
      arguments: JSON.stringify({ room }),
      content: "ok",
    })),
  ];
  return secondOrder({ messages, tools, toolChoice: "auto" }, languageOf(code));
}

// Qwen2.5-Coder 1.5B called for the first of two rooms and reported it.
test.each([
  ["turn on the kitchen and the hallway lights", [["set_light", "kitchen"]], { tool: "set_light", choice: "hallway" }],
  [
    "turn on the kitchen and the living room light",
    [["set_light", "kitchen"]],
    { tool: "set_light", choice: "living room" },
  ],
  ["set a timer and turn off the kitchen light", [["set_timer", ""]], { tool: "set_light", choice: "kitchen" }],
  [
    "turn on the kitchen and the hallway lights",
    [
      ["set_light", "kitchen"],
      ["set_light", "hallway"],
    ],
    undefined,
  ],
  ["turn on the kitchen light but not the hallway light", [["set_light", "kitchen"]], undefined],
  ["no the hallway light", [["set_light", "kitchen"]], undefined],
  ["is the kitchen or the hallway light on", [["get_house", ""]], undefined],
  ["are the kitchen and hallway lights on", [["get_house", ""]], undefined],
  ["turn on the kitchen light, i am in the hallway", [["set_light", "kitchen"]], undefined],
  ["make the kitchen and the hallway warmer", [["set_temperature", "kitchen"]], undefined],
] as const)("after %j and %j the order is left: %j", (words, done, left) => {
  expect(of(words, done)).toEqual(left);
});

test("a language without patterns has no second order", () => {
  expect(of("set light kitchen hallway", [["set_light", "kitchen"]], "fi")).toBeUndefined();
});

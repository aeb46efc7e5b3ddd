import { expect, test } from "vitest";
import { reportedTool } from "../../../src/conversation/facts/reported-order.ts";
import { languageOf } from "../../../src/language/packs/languages.ts";

const room = { type: "string", enum: ["kitchen", "bedroom", "living room", "hallway"] };
const tool = (name: string, properties: object) => ({
  name,
  description: "",
  parameters: { type: "object", properties },
});
const tools = [
  tool("set_light", { room, on: { type: "boolean" }, brightness: { type: "integer" } }),
  tool("set_temperature", { room, degrees: { type: "integer" } }),
  tool("get_house", {}),
  tool("set_timer", { minutes: { type: "integer" }, label: { type: "string" } }),
  tool("cancel_timer", { label: { type: "string" } }),
];

// Qwen2.5-Coder 1.5B reported these after thirty turns, and called nothing.
test.each([
  ["Make the bedroom nineteen degrees.", "The bedroom temperature is now nineteen degrees Celsius.", "set_temperature"],
  ["Actually, make it twenty.", "The bedroom temperature is now twenty degrees Celsius.", "set_temperature"],
  ["Dim the living room to forty percent.", "The living room brightness is now forty percent.", "set_light"],
  ["Turn off the kitchen light.", "The kitchen light has been turned off.", "set_light"],
  ["No, not the hallway. Turn it off again.", "The hallway light has been turned off.", "set_light"],
  ["Turn on the kitchen light.", "The kitchen light is already on.", undefined],
  ["Is the light in the kitchen on?", "The light in the kitchen is on.", undefined],
  ["is the light in the kitchen on", "The light in the kitchen is on.", undefined],
  ["Play music in the kitchen.", "The music is now on in the kitchen.", undefined],
  ["Thank you.", "The kitchen light is now on.", undefined],
  ["You are very helpful.", "The kitchen light is now on.", undefined],
  ["Turn off the kitchen light.", "Has the kitchen light been turned off?", undefined],
  ["Tell me about the museum.", "The museum is now open.", undefined],
])("%j, %j reports %s", (order, sentence, expected) => {
  expect(reportedTool(sentence, order, tools, languageOf("en"))).toBe(expected);
});

test.each([
  ["de", "Schalte kitchen light aus.", "Das kitchen light wurde ausgeschaltet.", "set_light"],
  ["fr", "éteins kitchen light", "kitchen light a été éteinte.", "set_light"],
  ["es", "apaga kitchen light", "kitchen light ha sido apagada.", "set_light"],
  ["it", "spegni kitchen light", "kitchen light è stata spenta.", "set_light"],
  ["nl", "zet kitchen light uit", "kitchen light is nu uit.", "set_light"],
  ["pt", "apague kitchen light", "kitchen light foi apagada.", "set_light"],
])("%s: %j, %j reports %s", (code, order, sentence, expected) => {
  expect(reportedTool(sentence, order, tools, languageOf(code))).toBe(expected);
});

test("a tool whose parameters cannot be used reports nothing", () => {
  const broken = { name: "set_light", description: "", parameters: { type: "string" } };
  expect(reportedTool("The light is now on.", "Turn on the light.", [broken], languageOf("en"))).toBeUndefined();
});

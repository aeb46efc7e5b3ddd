import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LanguageModel, ToolDefinition } from "../../../src/engines/llm/language-model.ts";
import { startLlama } from "../../../src/engines/llm/llama/llama-engine.ts";
import { silentLog } from "../../../src/shared/log.ts";

const modelPath = fileURLToPath(new URL("../../../models/starter/llm/starter.gguf", import.meta.url));
const never = AbortSignal.any([]);
const TEXT = { type: "string" };
const WHOLE = { type: "integer" };
const SWITCH = { type: "string", enum: ["on", "off"] };

const tool = (name: string, description: string, properties: Readonly<Record<string, object>>): ToolDefinition => ({
  name,
  description,
  parameters: { type: "object", properties, required: Object.keys(properties) },
});
const door = tool("open_door", "Opens a door.", { door: TEXT });

let llm: LanguageModel;
beforeAll(async () => {
  llm = await startLlama({ modelPath, gpu: "off", sequences: 1, contextTokens: 1024, threads: 1 }, silentLog);
});
afterAll(() => llm.close());

// Operators give tools names and parameters of their own.
test.each<[string, ToolDefinition, object]>([
  ["turn on the lights in the hall", tool("set_lights", "Switches the lights.", { room: TEXT }), { room: "hall" }],
  [
    "please turn off the light in the bedroom",
    tool("set_lights", "Switches the lights.", { room: TEXT, state: SWITCH }),
    { room: "bedroom", state: "off" },
  ],
  [
    "turn on the lights in the hall",
    tool("set_lights", "Switches the lights.", { room: TEXT, on: { type: "boolean" } }),
    { room: "hall", on: true },
  ],
  ["open the front door", door, { door: "front door" }],
  ["can you open the garage door please", door, { door: "garage door" }],
  [
    "will it rain in oslo today",
    tool("get_weather", "Returns the weather of a city.", { city: TEXT }),
    { city: "Oslo" },
  ],
  ["i need a nurse in room 204", tool("call_nurse", "Calls a nurse to a room.", { room: WHOLE }), { room: 204 }],
  ["set a timer for ten minutes", tool("set_timer", "Sets a timer.", { minutes: WHOLE }), { minutes: 10 }],
  ["wake me in twenty minutes", tool("set_timer", "Sets a timer.", { minutes: WHOLE }), { minutes: 20 }],
  [
    "connect me with sales",
    tool("transfer_call", "Connects the caller with a person.", { department: TEXT }),
    { department: "sales" },
  ],
])("the starter model calls a tool of the operator: %s", async (text, definition, expected) => {
  const session = llm.open();
  const messages = [
    { role: "system", content: "You are Oak, a friendly voice assistant." },
    { role: "user", content: `(It is Friday, November 20, 2026, 7:41 PM.)\n${text}` },
  ] as const;
  const asked = { messages, tools: [definition], toolChoice: "auto", maxTokens: 60, temperature: 0 } as const;
  const pieces: unknown[] = [];
  for await (const piece of session.generate(asked, never)) pieces.push(piece);
  session.close();
  expect(pieces).toEqual([expect.objectContaining({ name: definition.name })]);
  expect(JSON.parse((pieces[0] as { arguments: string }).arguments)).toEqual(expected);
});

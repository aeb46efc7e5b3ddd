import { expect, test } from "vitest";
import { scriptedRealtime } from "../../../support/scripted-realtime.ts";

const sessions: Record<string, [session: object, named: RegExp]> = {
  "beta formats": [{ input_audio_format: "g711_ulaw", output_audio_format: "g711_ulaw" }, /input_audio_format/],
  "beta turn detection and voice": [
    { turn_detection: { type: "server_vad", threshold: 0.7 }, voice: "alloy" },
    /turn_detection/,
  ],
  "beta modalities": [{ modalities: ["text"] }, /modalities/],
  "a field one level too high": [{ audio: { format: { type: "audio/pcmu" } } }, /audio\.format/],
  "a misspelt field": [{ audio: { input: { turn_detektion: null } } }, /turn_detektion/],
  "a misspelt field of turn detection": [
    { audio: { input: { turn_detection: { type: "server_vad", silence_duration: 900 } } } },
    /silence_duration/,
  ],
};

test.each(Object.entries(sessions))("%s: one error event names the field, and the rest acts", (_, [session, named]) => {
  const { send, all } = scriptedRealtime();
  send("session.update", { event_id: "u", session: { instructions: "Be brief.", ...session } });
  const errors = all("error").map(({ error }) => error);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ event_id: "u", code: "unknown_parameter" });
  expect(errors[0]?.message).toMatch(named);
  expect(all("session.updated")).toMatchObject([{ session: { instructions: "Be brief." } }]);
});

test("the error for a field of the beta names the present one", () => {
  const { send, all } = scriptedRealtime();
  send("session.update", { session: { input_audio_format: "g711_ulaw" } });
  expect(all("error")[0]?.error.message).toContain("session.input_audio_format (now session.audio.input.format)");
});

const parameters = { type: "object", properties: {} };
const message = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello." }] };
const events: Record<string, [type: string, fields: object, unknown: string[]]> = {
  "an item": ["conversation.item.create", { item: { ...message, mood: "glad" } }, ["item.mood"]],
  "a part of an item": [
    "conversation.item.create",
    { item: { ...message, content: [{ type: "input_text", text: "x", size: 1 }] } },
    ["item.content.0.size"],
  ],
  "a function": [
    "session.update",
    { session: { tools: [{ type: "function", name: "a", parameters, arguments: 1 }] } },
    ["session.tools.0.arguments"],
  ],
  "a response": ["response.create", { response: { input: [{ ...message, x: 1 }] } }, ["response.input.0.x"]],
  "an event": ["input_audio_buffer.clear", { item_id: "x" }, ["item_id"]],
  "a name of JavaScript": ["input_audio_buffer.clear", { constructor: 1, toString: 1 }, ["constructor", "toString"]],
  "many fields": [
    "input_audio_buffer.clear",
    Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${String(index)}`, 1])),
    ["f0", "992 more"],
  ],
};

test.each(Object.entries(events))("an unknown field of %s is named", (_, [type, fields, unknown]) => {
  const { send, all } = scriptedRealtime();
  send(type, { event_id: "e", ...fields });
  const errors = all("error").map(({ error }) => error);
  expect(errors).toMatchObject([{ event_id: "e", param: unknown[0] }]);
  for (const name of unknown) expect(errors[0]?.message).toContain(name);
});

test("a long name is cut", () => {
  const { send, all } = scriptedRealtime();
  send("input_audio_buffer.clear", { ["x".repeat(100_000)]: 1 });
  expect(JSON.stringify(all("error")).length).toBeLessThan(2_000);
});

test("items and sessions of the server may be sent back", () => {
  const { send, all } = scriptedRealtime();
  send("conversation.item.create", { item: { id: "item_1", ...message } });
  const [added] = all("conversation.item.added");
  const [created] = all("session.created");
  send("session.update", { session: created?.session });
  send("conversation.item.create", { item: { ...added?.item, id: "item_2" } });
  const audio = { type: "input_audio", audio: null, text: null, transcript: "Hello." };
  send("conversation.item.create", { item: { ...message, content: [audio], status: "completed" } });
  send("session.update", { session: { tools: [{ type: "function", name: "a", parameters, strict: true }] } });
  expect(all("error")).toEqual([]);
});

test("a session of the present shape has no error", () => {
  const { send, all } = scriptedRealtime();
  const turn_detection = { type: "semantic_vad", eagerness: "low", create_response: true, interrupt_response: true };
  const input = {
    format: { type: "audio/pcmu" },
    noise_reduction: null,
    transcription: { model: "whisper-1" },
    turn_detection,
  };
  const session = {
    type: "realtime",
    instructions: "Be brief.",
    audio: { input, output: { voice: "alloy", speed: 1 } },
  };
  send("session.update", { session: { ...session, tracing: "auto", truncation: "auto", include: null, prompt: null } });
  expect(all("error")).toEqual([]);
});

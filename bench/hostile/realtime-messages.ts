import type { Chance } from "./chance.ts";
import { hostileSchema } from "./schemas.ts";
import { base64, corrupt, mutate, notEvenJson, type JsonObject } from "./messages.ts";

const IDS = ["a", "b", "root", "", "__proto__"] as const;

/** An event of an OpenAI Realtime client, usually with an error. */
export function hostileEvent(chance: Chance): Buffer {
  if (chance.happens(0.08)) return Buffer.from(notEvenJson(chance));
  const id = chance.pick(IDS);
  const content = [
    { type: chance.pick(["input_text", "input_audio", "output_text"]), text: "x".repeat(chance.size(500)) },
  ];
  const audio = base64(chance);
  const format = { type: chance.pick(["audio/pcm", "audio/pcmu", "audio/pcma", "g711_ulaw"]) };
  const event = chance.pick<JsonObject>([
    { type: "session.update", session: { type: "realtime", audio: { input: { turn_detection: null } } } },
    { type: "session.update", session: { instructions: "x", tools: [{ type: "function", name: "f" }] } },
    {
      type: "session.update",
      session: { tools: [{ type: "function", name: "f", parameters: hostileSchema(chance) }] },
    },
    { type: "session.update", session: { input_audio_format: "g711_ulaw", turn_detection: null, voice: "alloy" } },
    { type: "session.update", session: { type: "realtime", audio: { input: { format } } } },
    { type: "input_audio_buffer.append", audio },
    { type: "input_audio_buffer.commit" },
    { type: "input_audio_buffer.clear" },
    { type: "conversation.item.create", previous_item_id: id, item: { type: "message", role: "user", content } },
    { type: "conversation.item.truncate", item_id: id, content_index: 0, audio_end_ms: chance.int(5_000) },
    { type: "conversation.item.delete", item_id: id },
    { type: "response.create", response: { output_modalities: ["text"], max_output_tokens: 4 } },
    { type: "response.cancel" },
  ]);
  for (let changes = chance.int(3); changes > 0; changes -= 1) mutate(event, chance);
  const text = Buffer.from(JSON.stringify(event));
  return chance.happens(0.15) ? corrupt(text, chance) : text;
}

import type { Chance } from "./chance.ts";
import { base64, corrupt, mutate, notEvenJson, type JsonObject } from "./messages.ts";

const FORMATS = ["slin", "slin16", "slin24", "ulaw", "alaw", "g722", "__proto__", ""] as const;
const EVENTS = ["DTMF_END", "MEDIA_XOFF", "MEDIA_XON", "MEDIA_MARK_PROCESSED", "QUEUE_DRAINED", "STATUS", "ERROR", "toString"] as const; // prettier-ignore
const KEYS = ["0", "9", "#", "*", "D", "", "55"] as const;

/** A control message of Asterisk's channel, usually with an error. */
export function hostileControl(chance: Chance): Buffer {
  if (chance.happens(0.1)) return Buffer.from(notEvenJson(chance));
  if (chance.happens(0.2)) return Buffer.from(`DTMF_END digit:${chance.pick(["1", "#", "*"])}`);
  if (chance.happens(0.4)) {
    const event = chance.pick(EVENTS);
    const rest = chance.pick(["", ` digit:${chance.pick(KEYS)}`, ` ${String(chance.int(9))}`, " __proto__:x a:b:c  :"]);
    return Buffer.from(`${chance.happens(0.1) ? `MEDIA_START format:${chance.pick(FORMATS)}` : event}${rest}`);
  }
  return hostileJson(chance, {
    event: chance.happens(0.1) ? "MEDIA_START" : chance.pick(EVENTS),
    channel_id: "1",
    digit: chance.pick(KEYS),
    correlation_id: String(chance.int(50)),
    format: chance.pick(FORMATS),
    channel_variables: { caller: "x".repeat(chance.size(2_000)) },
  });
}

/** A message of a media stream, usually with an error. */
export function hostileStreamText(chance: Chance): Buffer {
  if (chance.happens(0.08)) return Buffer.from(notEvenJson(chance));
  const payload = base64(chance);
  const encoding = chance.pick(["audio/x-mulaw", "PCMA", "L16", "audio/x-l16", "G722", ""]);
  const sampleRate = chance.pick([8_000, 16_000, 44_100]);
  return hostileJson(
    chance,
    chance.pick<JsonObject>([
      { event: "media", media: { track: "inbound", payload } },
      { event: "mark", mark: { name: String(chance.int(50)) } },
      { event: "dtmf", dtmf: { digit: chance.pick(KEYS) } },
      { event: "dtmf", dtmf: { digit: chance.pick(["1", "#"]) } },
      { event: "start", streamSid: "M", start: { mediaFormat: { encoding, sampleRate } } },
      { event: "playedStream", name: String(chance.int(50)) },
    ]),
  );
}

function hostileJson(chance: Chance, message: JsonObject): Buffer {
  for (let changes = chance.int(3); changes > 0; changes -= 1) mutate(message, chance);
  const text = Buffer.from(JSON.stringify(message));
  return chance.happens(0.15) ? corrupt(text, chance) : text;
}

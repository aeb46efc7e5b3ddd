import { encodeG711 } from "../../src/audio/g711.ts";
import type { Chance } from "./chance.ts";

/** Built and then changed at a random place. */
export type JsonObject = { [key: string]: Json };
type Json = null | boolean | number | string | Json[] | JsonObject;

const UNICODE = [
  "\u0000", "\ud800", "\udc00\ud800", "\u202Egnirts\u202C", "\ufeff", "𝄞".repeat(50), "é́́́", "\u2028", "مرحبا", "🏳️‍🌈", "%s%n%x", "\r\n\r\n",
] as const; // prettier-ignore
const NUMBERS = [
  -1, 0, -0, 0.1, 1e-320, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 53) - 2, 24_000, 65_536, 1.000_000_000_000_000_2,
] as const; // prettier-ignore
const KEYS = [
  "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "type", "data", "audio", "", "\u0000", "0", "length", "then",
] as const; // prettier-ignore

/** The text of one frame, a message of the interface that usually has an error. */
export function hostileText(chance: Chance): Buffer {
  if (chance.happens(0.08)) return Buffer.from(notEvenJson(chance));
  const message = validMessage(chance);
  for (let changes = chance.int(4); changes > 0; changes -= 1) mutate(message, chance);
  const text = JSON.stringify(message);
  return chance.happens(0.15) ? corrupt(Buffer.from(text), chance) : Buffer.from(text);
}

function validMessage(chance: Chance): JsonObject {
  const envelope = { timestamp: 1_763_700_000 + chance.int(1000), message_id: `m${String(chance.int(1e6))}` };
  switch (chance.int(5)) {
    case 0:
      return { type: "keep_alive", ...envelope };
    case 2:
      return { type: "tool_result", ...envelope, data: { call_id: "call_1", output: "x".repeat(chance.size(20_000)) } };
    case 3:
      return { type: "say", ...envelope, data: { text: "x".repeat(chance.size(2_000)), when: "now" } };
    case 1:
      return { type: "audio_input", ...envelope, data: { audio: base64(chance), chunk_id: String(chance.int(100)) } };
    default:
      return {
        type: "session_settings",
        ...envelope,
        data: {
          emotion_detection: { enabled: true, confidence_threshold: 0.5, emotions_to_track: ["joy", "anger"], analysis_window: 3 },
          turn_detection: {
            enabled: true,
            mode: chance.pick(["standard", "adaptive", "aggressive"]),
            silence_threshold: 0.5,
            context_awareness: { enabled: true, conversation_style: "brief", user_preferences: "none" },
          },
          audio: { sample_rate: 24_000, channels: 1, encoding: "linear16" },
          response_style: { tone: "calm", empathy_level: 3 },
        },
      }; // prettier-ignore
  }
}

/** Base64 that is sometimes valid. Otherwise it has the wrong alphabet, is cut, wrongly padded, or ends with half a sample. */
export function base64(chance: Chance): string {
  const text = chance.bytes(2 * chance.size(200)).toString("base64");
  switch (chance.int(8)) {
    case 0:
      return text.replaceAll("+", "-").replaceAll("/", "_");
    case 1:
      return text.slice(0, chance.int(text.length + 1));
    case 2:
      return `${text}${"=".repeat(chance.int(5))}`;
    case 3:
      return `${text.slice(0, 4)} \n${text.slice(4)}`;
    case 4:
      return chance.bytes(2 * chance.size(50) + 1).toString("base64");
    case 5:
      return `data:audio/wav;base64,${text}`;
    case 6:
      return wrongFormat(chance).toString("base64");
    default:
      return text;
  }
}

/** Audio in another format than the one of the connection, cut anywhere: files, floats, bytes in the other order, G.711. */
export function wrongFormat(chance: Chance): Buffer {
  const tone = Float32Array.from({ length: 1 + chance.size(2_000) }, (_, at) => Math.sin(at / 5) / 3);
  const pcm = Buffer.from(Int16Array.from(tone, (sample) => sample * 32_767).buffer);
  const audio = chance.pick([
    () => Buffer.concat([Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0", "latin1"), pcm]),
    () => Buffer.concat([Buffer.from("1a45dfa3", "hex"), chance.bytes(chance.size(500))]),
    () => Buffer.from(tone.buffer),
    () => Buffer.from(Float64Array.from(tone).buffer),
    () => Buffer.from(pcm).swap16(),
    () => Buffer.from(encodeG711("ulaw", new Int16Array(pcm.buffer, pcm.byteOffset, tone.length))),
    () => Buffer.from(pcm.toString("base64")),
  ])();
  return audio.subarray(0, audio.length - chance.int(3));
}

function hostileValue(chance: Chance): Json {
  switch (chance.int(9)) {
    case 0:
      return null;
    case 1:
      return chance.happens(0.5);
    case 2:
      return chance.pick(NUMBERS);
    case 3:
      return chance.pick(UNICODE);
    case 4:
      return "A".repeat(chance.size(20_000));
    case 5:
      return nested(chance.size(3_000), chance);
    case 6:
      return Array.from({ length: chance.size(2_000) }, () => chance.pick(NUMBERS));
    case 7:
      return JSON.parse(`{${JSON.stringify(chance.pick(KEYS))}: {"isAdmin": true, "length": 1e9}}`) as Json;
    default:
      return String(chance.pick(NUMBERS));
  }
}

function nested(depth: number, chance: Chance): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = chance.happens(0.5) ? [value] : { a: value };
  return value;
}

/** Changes one random place in the message. */
export function mutate(message: JsonObject, chance: Chance): void {
  let place = message;
  for (;;) {
    const key = chance.pick(["type", ...Object.keys(place)]);
    const below = place[key];
    if (typeof below === "object" && below !== null && !Array.isArray(below) && chance.happens(0.7)) {
      place = below;
      continue;
    }
    switch (chance.int(4)) {
      case 0:
        delete place[key];
        return;
      case 1:
        Object.defineProperty(place, chance.pick(KEYS), { value: hostileValue(chance), enumerable: true, configurable: true, writable: true }); // prettier-ignore
        return;
      default:
        place[key] = hostileValue(chance);
        return;
    }
  }
}

/** Damages the text, which stays valid UTF-8. `frames.ts` makes invalid UTF-8. */
export function corrupt(text: Buffer, chance: Chance): Buffer {
  const at = chance.int(text.length + 1);
  const [before, after] = [text.toString().slice(0, at), text.toString().slice(at)];
  switch (chance.int(4)) {
    case 0:
      return Buffer.from(before);
    case 1:
      return Buffer.from(`${before}${chance.pick(['"', "{", "}", ",", "\\u00", "1e999", "/*", "\u0000"])}${after}`); // prettier-ignore
    case 2:
      return Buffer.from(text.toString().replace("{", '{"type":"keep_alive","type":"session_settings",'));
    default:
      return Buffer.from(`${text.toString()}${text.toString()}`);
  }
}

export function notEvenJson(chance: Chance): string {
  const depth = chance.size(60_000);
  return chance.pick([
    "", " ", "null", "true", "[]", "{}", '"', "\ufeff{}", "undefined", "NaN",
    "[".repeat(depth), '{"a":'.repeat(depth), "[".repeat(depth) + "]".repeat(depth), "9".repeat(depth), `1e${"9".repeat(20)}`,
    `{"type":"keep_alive","timestamp":1,"message_id":"m","data":${"[".repeat(depth)}${"]".repeat(depth)}}`,
    `"${"\\ud83d".repeat(100)}"`,
  ]); // prettier-ignore
}

/** The bytes of one binary frame, which are speech, noise, another format, or not whole samples. */
export function hostilePcm(chance: Chance): Buffer {
  switch (chance.int(7)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return chance.bytes(2 * chance.size(400) + 1);
    case 2:
      return Buffer.alloc(2 * chance.size(9_600));
    case 3:
      return Buffer.alloc(2 * chance.size(4_800), Buffer.from([0xff, 0x7f, 0x00, 0x80]));
    case 4:
      return wrongFormat(chance);
    default:
      return chance.bytes(2 * chance.size(2_000));
  }
}

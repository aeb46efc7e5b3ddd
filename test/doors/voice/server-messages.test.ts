import { expect, test } from "vitest";
import {
  encodeServerMessage,
  serverMessageSchema,
  type ServerData,
  type ServerMessageType,
} from "../../../src/doors/voice/server-messages.ts";

/** One message of each type, with each field of the interface. */
const examples: ServerData = {
  connection_metadata: {
    connection_id: "c",
    status: "connected",
    config: { audio_format: "pcm_24khz_16bit_mono", encoding: "linear16", sample_rate: 24000, channels: 1 },
    project_id: "p",
    config_id: "v",
  },
  status: {
    status: "ready",
    details: { session_settings: { sample_rate: 24000, channels: 1, encoding: "linear16" } },
  },
  transcription: {
    transcript: "hello",
    confidence: 0.9,
    is_final: true,
    is_speech_final: true,
    session_id: "c",
    words: [{ word: "hello", start: 0.1, end: 0.4, confidence: 0.9 }],
    accumulated_transcript: "hello",
    is_turn_incomplete: false,
    original_fragment: "hello",
  },
  llm_response_chunk: { content: "Hi", is_final: false, generation_id: "g", chunk_index: 0 },
  tts_chunk: { content: "AAAA" },
  emotion_update: {
    top_emotions: [{ name: "Joy", score: 0.8 }],
    all_emotions: { Joy: 0.8, Calmness: 0.2 },
    processing_time: 0.01,
    utterance_duration: 1.2,
    connection_id: "c",
    session_id: "c",
    dominant_emotion: "joy",
    confidence: 0.8,
    emotions: { joy: 0.8, neutral: 0.2 },
  },
  turn_start: { turn_id: "t", interrupted_tts: false },
  turn_end: { turn_id: "t", duration: 1.2, is_complete: true, confidence: 0.9, transcript: "hello" },
  turn_interrupted: { interruption_type: "system_timeout" },
  voice_activity: { activity_level: 0.4, background_noise_level: 0.1 },
  tts_interruption: { content: "" },
  tool_call: { run_by: "client", call_id: "1", name: "room_service", arguments: { dish: "soup" } },
  tool_call_end: { call_id: "1", name: "room_service", outcome: "done", duration: 0.2 },
  tool_state: { tool: "demo_house", state: {} },
  call_end: { reason: "goodbye", summary: "" },
  error: { error_code: "AUDIO_PROCESSING_FAILED", error_message: "no", details: { chunk_id: "1" } },
};

const TYPES = Object.keys(examples) as ServerMessageType[];

test("the server has the twelve message types of the interface, and four additions about tools", () => {
  expect(TYPES).toHaveLength(16);
});

test.each(TYPES)("%s is encoded with its envelope, matches the schema and needs each of its fields", (type) => {
  const frame: unknown = JSON.parse(encodeServerMessage(type, examples[type], 1_795_204_973_657.4));
  const message = serverMessageSchema.parse(frame);
  expect(message).toMatchObject({ type, timestamp: 1_795_204_973.657 });
  expect(message.message_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  if (type === "tts_chunk" || type === "tts_interruption") {
    expect(Object.keys(message).toSorted()).toEqual(["content", "message_id", "timestamp", "type"]);
    return;
  }
  expect(message).toEqual({ type, timestamp: message.timestamp, message_id: message.message_id, data: examples[type] });
  for (const field of Object.keys(examples[type])) {
    const broken = structuredClone(frame) as { data: Record<string, unknown> };
    delete broken.data[field];
    expect([field, serverMessageSchema.safeParse(broken).success]).toEqual([field, false]);
  }
});

const sent = <Type extends ServerMessageType>(type: Type, data: ServerData[Type]): ServerData[Type] => {
  const frame = JSON.parse(encodeServerMessage(type, data, 0)) as { data: ServerData[Type] };
  serverMessageSchema.parse(frame);
  return frame.data;
};

test("times have three decimals, levels, scores and confidences have four", () => {
  const third = 1 / 3;
  const word = { word: "hello", start: 0.1 + 0.2, end: 2 * third, confidence: third };
  const { words, confidence } = sent("transcription", { ...examples.transcription, words: [word], confidence: third });
  expect([...words, confidence]).toEqual([{ word: "hello", start: 0.3, end: 0.667, confidence: 0.3333 }, 0.3333]);
  expect(sent("turn_end", { ...examples.turn_end, duration: third, confidence: third })).toMatchObject({
    duration: 0.333,
    confidence: 0.3333,
  });
  const levels = { activity_level: third, background_noise_level: 0.99999 };
  expect(sent("voice_activity", levels)).toEqual({ activity_level: 0.3333, background_noise_level: 1 });
  expect(sent("voice_activity", { ...levels, kind: "tone" })).toMatchObject({ kind: "tone" });
  const joy = { top_emotions: [{ name: "Joy" as const, score: third }], emotions: { joy: third }, confidence: third };
  const times = { processing_time: 0.0123456, utterance_duration: 2.0004999 };
  expect(
    sent("emotion_update", { ...examples.emotion_update, ...joy, ...times, all_emotions: { Joy: third } }),
  ).toMatchObject({
    top_emotions: [{ name: "Joy", score: 0.3333 }],
    all_emotions: { Joy: 0.3333 },
    emotions: { joy: 0.3333 },
    confidence: 0.3333,
    processing_time: 0.012,
    utterance_duration: 2,
  });
});

test("numbers that the client sent are returned without rounding", () => {
  const details = { session_settings: { sample_rate: 24000, channels: 1, encoding: "linear16" }, reply_to: 1.123456 };
  expect(sent("status", { status: "ready", details } as ServerData["status"])).toMatchObject({ details });
  expect(sent("error", { ...examples.error, details: { chunk_id: 0.123456 } }).details).toEqual({ chunk_id: 0.123456 });
});

test("each message has a different id", () => {
  const ids = Array.from({ length: 100 }, () => {
    const message = serverMessageSchema.parse(JSON.parse(encodeServerMessage("tts_interruption", { content: "" }, 0)));
    return message.message_id;
  });
  expect(new Set(ids).size).toBe(100);
});

const isEmotionUpdate = (change: object) => {
  const frame = encodeServerMessage("emotion_update", { ...examples.emotion_update, ...change }, 0);
  return serverMessageSchema.safeParse(JSON.parse(frame)).success;
};

test("each emotion shape accepts only the names of its list", () => {
  expect(isEmotionUpdate({})).toBe(true);
  expect(isEmotionUpdate({ all_emotions: { joy: 1 } })).toBe(false);
  expect(isEmotionUpdate({ all_emotions: { Neutral: 1 } })).toBe(false);
  expect(isEmotionUpdate({ emotions: { contempt: 1 } })).toBe(true);
  expect(isEmotionUpdate({ emotions: { Contempt: 1 } })).toBe(false);
  expect(isEmotionUpdate({ dominant_emotion: "Joy" })).toBe(false);
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ServerMessage, ServerMessageType } from "../../src/doors/voice/server-messages.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox, type Caller } from "../support/box.ts";
import { RawClient } from "./raw-client.ts";

// Checks each row of the interface's tables on a running server. Additions of Oakvoice are tested in test/server.
let box: TestBox;
beforeAll(async () => {
  box = await TestBox.start({}, "limits: { audio_burst_seconds: 600 }\n");
});
afterAll(() => box.close());

const seconds = { wrong: -1, high: 1e9 };
const rows: [field: string, byDefault: unknown, other: unknown, wrong: unknown][] = [
  ["emotion_detection.enabled", true, false, "yes"],
  ["emotion_detection.confidence_threshold", 0.7, 0.5, 1.5],
  ["emotion_detection.update_frequency", "continuous", "interval", "often"],
  ["emotion_detection.update_frequency", "continuous", "on_turn_complete", 3],
  ["emotion_detection.emotions_to_track", [], ["joy"], "joy"],
  ["emotion_detection.analysis_window", 3, 1.5, seconds.wrong],
  ["turn_detection.enabled", true, false, 1],
  ["turn_detection.mode", "standard", "adaptive", "eager"],
  ["turn_detection.mode", "standard", "aggressive", null],
  ["turn_detection.mode", "standard", "conservative", ""],
  ["turn_detection.silence_threshold", 0.5, 0.8, seconds.wrong],
  ["turn_detection.min_speaking_time", 0.3, 0.1, seconds.high],
  ["turn_detection.max_turn_duration", 30, 20, 0],
  ["turn_detection.speech_threshold", 0.3, 0.4, 2],
  ["turn_detection.interrupt_threshold", 0.8, 0.9, "high"],
  ["turn_detection.natural_pauses", true, false, "no"],
  ["turn_detection.background_noise_adaptation", true, false, 0],
  ["turn_detection.speaking_rate_adaptation", true, false, []],
  ["turn_detection.context_awareness.enabled", false, true, "true"],
  ["turn_detection.context_awareness.conversation_style", "", "brisk", 1],
  ["turn_detection.context_awareness.user_preferences", "", "short answers", {}],
  ["audio.sample_rate", 24000, 24000, 16000],
  ["audio.channels", 1, 1, 2],
  ["audio.encoding", "linear16", "linear16", "mp3"],
];

const nest = (field: string, value: unknown): unknown =>
  field.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
const pick = (settings: unknown, field: string): unknown =>
  field.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], settings);

describe("session settings", () => {
  let client: RawClient;
  let statuses: number;
  const configure = async (data: unknown) => {
    client.send("session_settings", data);
    statuses += 1;
    const { data: status } = await client.until("status", statuses);
    return (status as { details: { applied_settings: unknown } }).details.applied_settings;
  };
  beforeEach(async () => {
    statuses = 0;
    client = new RawClient(box.url());
    await client.until("connection_metadata");
  });
  afterEach(() => client.close());

  test.each(rows)("%s defaults to %j, accepts %j and refuses %j by name", async (field, byDefault, other, wrong) => {
    const before = await configure({});
    expect(pick(before, field)).toEqual(byDefault);
    expect(pick(await configure(nest(field, other)), field)).toEqual(other);

    client.send("session_settings", nest(field, wrong));
    const { data } = await client.until("error");
    expect(data).toMatchObject({ error_code: "INVALID_SETTINGS", details: { field: `data.${field}` } });
    // The session keeps its settings and merges no part of the refused ones.
    expect(await configure(nest(field, byDefault))).toEqual(before);
  });

  test("missing fields get their defaults, and unknown fields are ignored", async () => {
    const settings = await configure({ unheard_of: 1, turn_detection: { unheard_of: 2 } });
    for (const [field, byDefault] of rows) expect(pick(settings, field), field).toEqual(byDefault);
    expect((await client.until("status"))["data"]).toMatchObject({
      status: "ready",
      details: { session_settings: { sample_rate: 24000, channels: 1, encoding: "linear16" } },
    });
  });

  test("response_style", async () => {
    const style = { tone: "warm", empathy_level: "high", explanation_detail: "brief" };
    expect(await configure({ response_style: style })).toMatchObject({ response_style: style });
  });
});

describe("client messages", () => {
  test("audio_input and binary frames have the same effect", async () => {
    const pcm = Buffer.concat([clip("flite-time.wav"), silence(1.2)]);
    const binary = await box.call();
    binary.client.sendAudio(pcm);
    const { data: heardBinary } = await binary.next("turn_end");

    const raw = new RawClient(box.url());
    await raw.until("connection_metadata");
    raw.send("session_settings", {});
    await raw.until("status");
    for (let at = 0; at < pcm.length; at += 9600) {
      const audio = pcm.subarray(at, at + 9600).toString("base64");
      raw.send("audio_input", at === 0 ? { audio } : { audio, chunk_id: `chunk-${String(at)}` });
    }
    const { data } = await raw.until("turn_end");
    expect(data).toMatchObject({ transcript: heardBinary.transcript, duration: heardBinary.duration });
    expect(heardBinary.transcript).not.toBe("");
    binary.client.close();
    raw.close();
  });

  test("a corrupted chunk is reported without closing the connection", async () => {
    const raw = new RawClient(box.url());
    await raw.until("connection_metadata");
    raw.send("session_settings", {});
    raw.send("audio_input", { audio: "not base64!", chunk_id: "c-7" });
    expect((await raw.until("error"))["data"]).toMatchObject({
      error_code: "AUDIO_PROCESSING_FAILED",
      details: { chunk_id: "c-7" },
    });
    raw.send("keep_alive");
    await raw.until("status", 2);
    raw.close();
  });

  test("keep_alive is answered", async () => {
    const raw = new RawClient(box.url());
    await raw.until("connection_metadata");
    raw.send("keep_alive");
    expect((await raw.until("status"))["data"]).toMatchObject({ status: "alive" });
    raw.close();
  });
});

describe("server messages", () => {
  const seen = new Map<ServerMessageType, ServerMessage>();
  let caller: Caller;
  beforeAll(async () => {
    caller = await box.call({ emotion_detection: { confidence_threshold: 0 } });
    caller.client.sendAudio(Buffer.concat([clip("flite-lights.wav"), silence(1)]));
    await caller.next("tts_chunk");
    caller.client.sendAudio(Buffer.concat([clip("flite-lights.wav"), silence(1)]));
    await caller.next("tts_interruption");
    await caller.next("turn_end");
    const raw = new RawClient(box.url());
    await raw.until("connection_metadata");
    raw.send("nonsense");
    const error = (await raw.until("error")) as unknown as ServerMessage;
    raw.close();
    caller.client.close();
    for (const message of [...caller.messages, error]) if (!seen.has(message.type)) seen.set(message.type, message);
  });

  test.each<[ServerMessageType, string[]]>([
    [
      "connection_metadata",
      // The last two are additions to the interface.
      ["connection_id", "status", "config", "project_id", "config_id", "resume_token", "resume_seconds"],
    ],
    ["status", ["status", "details"]],
    [
      "transcription",
      [
        "transcript",
        "confidence",
        "is_final",
        "is_speech_final",
        "session_id",
        "words",
        "accumulated_transcript",
        "is_turn_incomplete",
        "original_fragment",
      ],
    ],
    ["llm_response_chunk", ["content", "is_final", "generation_id", "chunk_index"]],
    [
      "emotion_update",
      [
        "top_emotions",
        "all_emotions",
        "processing_time",
        "utterance_duration",
        "connection_id",
        "session_id",
        "dominant_emotion",
        "confidence",
        "emotions",
      ],
    ],
    ["turn_start", ["turn_id", "interrupted_tts"]],
    // The last one is an addition to the interface.
    ["turn_end", ["turn_id", "duration", "is_complete", "confidence", "transcript", "decode_duration"]],
    ["turn_interrupted", ["interruption_type"]],
    ["voice_activity", ["activity_level", "background_noise_level"]],
    ["error", ["error_code", "error_message", "details"]],
  ])("%s carries %j in data, in the envelope", (type, fields) => {
    const message = seen.get(type) as Record<string, unknown> | undefined;
    expect(Object.keys(message?.["data"] ?? {}).toSorted()).toEqual(fields.toSorted());
    expect(Object.keys(message ?? {}).toSorted()).toEqual(["data", "message_id", "timestamp", "type"]);
    expect(message?.["timestamp"]).toBeGreaterThan(1.7e9);
  });

  test.each(["tts_chunk", "tts_interruption"] as const)("%s has content at the top level and no data", (type) => {
    expect(Object.keys(seen.get(type) ?? {}).toSorted()).toEqual(["content", "message_id", "timestamp", "type"]);
  });

  test("speech is PCM16 in chunks of at most 200 ms, and an interruption has no content", () => {
    for (const { content } of caller.all("tts_chunk")) {
      const bytes = Buffer.from(content, "base64").length;
      expect(bytes % 2).toBe(0);
      expect(bytes).toBeLessThanOrEqual(200 * 48);
    }
    expect(caller.all("tts_interruption")[0]?.content).toBe("");
  });

  test("each message has a different id", () => {
    const ids = caller.messages.map(({ message_id }) => message_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("both lists of emotion names are complete", () => {
    const message = caller.all("emotion_update")[0]?.data;
    expect(Object.keys(message?.all_emotions ?? {}).toSorted()).toEqual(
      ["Joy", "Sadness", "Anger", "Fear", "Surprise", "Disgust", "Contempt", "Excitement", "Calmness"].toSorted(),
    );
    expect(Object.keys(message?.emotions ?? {}).toSorted()).toEqual(
      ["joy", "sadness", "anger", "fear", "surprise", "disgust", "neutral", "empathy", "confusion"].toSorted(),
    );
  });

  test("connection_metadata contains the identifiers of the connection", () => {
    expect(caller.all("connection_metadata")[0]?.data).toMatchObject({
      status: "connected",
      config: { audio_format: "pcm_24khz_16bit_mono", encoding: "linear16", sample_rate: 24000, channels: 1 },
      project_id: "default",
      config_id: "default",
    });
  });
});

test("a client that reconnects after a lost connection is greeted again", async () => {
  const first = await box.call();
  first.client.close();
  const second = await box.call();
  expect(second.order()).toEqual(["connection_metadata", "status"]);
  second.client.close();
});

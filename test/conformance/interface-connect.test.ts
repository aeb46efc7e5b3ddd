import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "../../src/auth/jwt.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { RawClient } from "./raw-client.ts";

// Checks the interface's tables of connect, authentication, states and envelope, and the order of messages, on a running server.
const jwt = { algorithms: ["HS256" as const], secret: "a secret of at least thirty-two bytes" };
const HOTEL = "config_id: hotel\nproject_id: lobby\nsystem_prompt: Be brief.\n";

let box: TestBox;
let apiKey: string;
let endpoint: string;
beforeAll(async () => {
  const yaml = `limits: { audio_burst_seconds: 600 }\nauth: { jwt: { algorithms: [HS256], secret: ${jwt.secret} } }\n`;
  box = await TestBox.start({ hotel: HOTEL }, yaml);
  const url = new URL(box.url());
  apiKey = url.searchParams.get("api_key") ?? "";
  endpoint = `ws://${url.host}/ws/voice`;
});
afterAll(() => box.close());

const token = (ageMs = 0) => issueToken(jwt, { lifetimeSeconds: 60 }, new Date(Date.now() - ageMs));

interface Way {
  readonly query: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

function connect({ query, headers = {} }: Way, connectionId: string = randomUUID()): RawClient {
  // A space as %20, as the interface writes it.
  const text = new URLSearchParams(query).toString().replaceAll("+", "%20");
  return new RawClient(`${endpoint}/${connectionId}?${text}`, headers);
}

async function ready(): Promise<RawClient> {
  const client = connect({ query: { api_key: apiKey, config_id: "default" } });
  await client.until("connection_metadata");
  client.send("session_settings", {});
  await client.until("status");
  return client;
}

test("an API key begins with oak_", () => expect(apiKey).toMatch(/^oak_/));

describe("credentials that open a connection", () => {
  test.each<[string, () => Promise<Way>]>([
    ["API key", async () => ({ query: { api_key: apiKey, config_id: "hotel" } })],
    ["API key, project_id", async () => ({ query: { api_key: apiKey, config_id: "hotel", project_id: "lobby" } })],
    [
      "JWT in header",
      async () => ({ query: { config_id: "hotel" }, headers: { Authorization: `Bearer ${await token()}` } }),
    ],
    ["JWT in query", async () => ({ query: { config_id: "hotel", authorization: `Bearer ${await token()}` } })],
  ])("%s", async (kind, way) => {
    const connectionId = randomUUID();
    const client = connect(await way(), connectionId);
    const { data } = await client.until("connection_metadata");
    expect(client.messages).toHaveLength(1);
    const { resume_token, resume_seconds, ...own } = data as Record<string, unknown>;
    // An addition to the interface, for credentials that name their owner. The tokens here have no subject.
    const canResume = kind.startsWith("API key");
    expect([resume_token, resume_seconds]).toEqual(canResume ? [expect.any(String), 60] : [undefined, undefined]);
    expect(own).toEqual({
      connection_id: connectionId,
      status: "connected",
      config: { audio_format: "pcm_24khz_16bit_mono", encoding: "linear16", sample_rate: 24000, channels: 1 },
      project_id: "lobby",
      config_id: "hotel",
    });
    client.close();
  });
});

describe("connections that are refused before connection_metadata", () => {
  const bearer = (value: string): Way => ({ query: { config_id: "hotel", authorization: `Bearer ${value}` } });
  test.each<[string, string, number, () => Promise<Way>]>([
    ["no credentials", "MISSING_CREDENTIALS", 4401, async () => ({ query: { config_id: "hotel" } })],
    ["an unknown key", "INVALID_API_KEY", 4401, async () => ({ query: { api_key: "oak_no", config_id: "hotel" } })],
    ["a malformed JWT", "INVALID_TOKEN", 4401, async () => bearer("not.a.token")],
    ["an expired JWT", "TOKEN_EXPIRED", 4401, async () => bearer(await token(3_600_000))],
    ["no config_id", "INVALID_CONNECT_REQUEST", 4400, async () => ({ query: { api_key: apiKey } })],
    [
      "another project than the configuration's",
      "PROJECT_MISMATCH",
      4403,
      async () => ({ query: { api_key: apiKey, config_id: "hotel", project_id: "bar" } }),
    ],
  ])("%s: %s, %i", async (_, code, closeCode, way) => {
    const client = connect(await way());
    expect(await client.closed).toBe(closeCode);
    expect(client.messages).toMatchObject([{ type: "error", data: { error_code: code, details: {} } }]);
  });
});

describe("the envelope, from the client", () => {
  const whole = { type: "keep_alive", timestamp: 1.5, message_id: "m-1" };
  test.each<[field: string, value: unknown]>([
    ["type", undefined],
    ["type", 7],
    ["timestamp", undefined],
    ["timestamp", "now"],
    ["message_id", undefined],
    ["message_id", true],
  ])("%s as %j is refused by name, and the connection stays open", async (field, value) => {
    const client = await ready();
    client.sendFrame(JSON.stringify({ ...whole, [field]: value }));
    const { data } = await client.until("error");
    expect(data).toMatchObject({ error_code: "INVALID_MESSAGE", details: { field } });
    client.sendFrame(JSON.stringify(whole));
    expect((await client.until("status", 2))["data"]).toEqual({ status: "alive", details: { reply_to: "m-1" } });
    client.close();
  });
});

describe("audio_input, from the client", () => {
  const audio = silence(0.1).toString("base64");
  test.each<[string, unknown, object]>([
    ["audio left out", {}, { error_code: "INVALID_MESSAGE", details: { field: "data.audio" } }],
    ["no data", undefined, { error_code: "INVALID_MESSAGE", details: { field: "data" } }],
    ["chunk_id an object", { audio, chunk_id: {} }, { details: { field: "data.chunk_id" } }],
    ["empty", { audio: "", chunk_id: "c" }, { error_code: "AUDIO_PROCESSING_FAILED", details: { chunk_id: "c" } }],
  ])("%s is refused, and the connection stays open", async (_, data, expected) => {
    const client = await ready();
    client.send("audio_input", data);
    expect((await client.until("error"))["data"]).toMatchObject(expected);
    client.send("audio_input", { audio, chunk_id: "next" });
    client.sendFrame(silence(0.3));
    // Heard: 0.4 s of audio are two reports of voice activity.
    await client.until("voice_activity", 2);
    expect(client.messages.filter(({ type }) => type === "error")).toHaveLength(1);
    client.close();
  });
});

test("the states are connected, then ready, and the conversation starts after ready", async () => {
  const client = connect({ query: { api_key: apiKey, config_id: "default" } });
  await client.until("connection_metadata");
  client.sendFrame(silence(0.2));
  expect((await client.until("error"))["data"]).toMatchObject({ error_code: "AUDIO_BEFORE_SETTINGS" });
  client.send("session_settings", {});
  expect((await client.until("status"))["data"]).toMatchObject({
    status: "ready",
    details: { session_settings: { sample_rate: 24000, channels: 1, encoding: "linear16" } },
  });
  client.sendFrame(silence(0.2));
  await client.until("voice_activity");
  expect(client.messages.map(({ type }) => type)).toEqual(["connection_metadata", "error", "status", "voice_activity"]);
  client.close();
});

test("the order is metadata, ready, transcription, reply, speech, and tts_interruption, transcription after an interruption", async () => {
  const caller = await box.call({ emotion_detection: { confidence_threshold: 0 } });
  const lights = Buffer.concat([clip("flite-lights.wav"), silence(1)]);
  caller.client.sendAudio(lights);
  await caller.next("tts_chunk");
  caller.client.sendAudio(lights);
  await caller.next("tts_interruption");
  await caller.next("transcription", ({ data }) => data.is_speech_final);
  caller.client.close();

  const interruptedAt = caller.messages.findIndex(({ type }) => type === "tts_interruption");
  const first = caller.messages.slice(0, interruptedAt).map(({ type }) => type);
  const inOrder = ["connection_metadata", "status", "transcription", "llm_response_chunk", "tts_chunk"] as const;
  const positions = inOrder.map((type) => first.indexOf(type));
  expect(positions.every((position) => position >= 0)).toBe(true);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(first).toContain("emotion_update");

  const after = caller.messages.slice(interruptedAt).map(({ type }) => type);
  expect(after.slice(0, 3)).toEqual(["tts_interruption", "turn_interrupted", "turn_start"]);
  expect(after).toContain("transcription");

  // Chunks have 60 ms. Only the last chunk of a clause is shorter.
  const lengthsMs = caller.all("tts_chunk").map(({ content }) => Buffer.from(content, "base64").length / 48);
  expect(Math.max(...lengthsMs)).toBe(60);
});

test("the transcription of a turn is first partial, then final", async () => {
  const caller = await box.call();
  const speech = clip("flite-lights.wav");
  const step = silence(0.1).length;
  const partials = () => caller.all("transcription").filter(({ data }) => !data.is_final);
  // Partials are limited by the clock, so the caller says whole sentences at the pace of speech until some have arrived.
  do {
    for (let at = 0; at < speech.length; at += step) {
      caller.client.sendAudio(speech.subarray(at, at + step));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } while (partials().length < 2);
  caller.client.sendAudio(silence(2));
  const { data } = await caller.next("transcription", (message) => message.data.is_speech_final);
  caller.client.close();
  let shown = "";
  for (const transcription of caller.all("transcription")) {
    const { accumulated_transcript, is_speech_final, is_turn_incomplete } = transcription.data;
    expect(is_turn_incomplete).toBe(!is_speech_final);
    if (!is_speech_final) expect(accumulated_transcript.startsWith(shown)).toBe(true);
    shown = is_speech_final ? "" : accumulated_transcript;
  }
  expect(data).toMatchObject({ is_final: true, is_turn_incomplete: false });
});

import { OakError } from "../../../src/shared/errors.ts";
import { pino } from "pino";
import { History } from "../../../src/conversation/reply/text/history.ts";
import { expect, test } from "vitest";
import { DEFAULT_SESSION_SETTINGS } from "../../../src/config/settings/settings-form.ts";
import { deepMerge } from "../../../src/shared/deep-merge.ts";
import type { VoiceSession } from "../../../src/conversation/session/session-interface.ts";
import { emptySnapshot, RecordingSession, startWireServer, WireClient } from "../support.ts";

const seconds = (count: number) => Buffer.alloc(count * 48_000);

test("settings, text audio and binary audio reach the session, and keep_alive is answered", async () => {
  const { connect, sessions } = await startWireServer();
  const client = connect();
  const reply_to = client.sendMessage("session_settings", {
    turn_detection: { silence_threshold: 0.8 },
    unknown_part: 1,
  });
  expect((await client.next("status")).data).toEqual({
    status: "ready",
    details: {
      session_settings: { sample_rate: 24000, channels: 1, encoding: "linear16" },
      applied_settings: deepMerge(DEFAULT_SESSION_SETTINGS, { turn_detection: { silence_threshold: 0.8 } }),
      reply_to,
    },
  });
  client.sendMessage("audio_input", { audio: Buffer.from([1, 2, 3, 4]).toString("base64"), chunk_id: "7" });
  client.send(Buffer.from([5, 6]));
  const id = client.sendMessage("keep_alive");
  expect((await client.next("status")).data).toEqual({ status: "alive", details: { reply_to: id } });
  expect(sessions[0]?.patches).toEqual([{ turnDetection: { silenceThresholdMs: 800 } }]);
  expect(sessions[0]?.audio).toEqual([Buffer.from([1, 2, 3, 4]), Buffer.from([5, 6])]);
});

test("a ready status contains the id of the settings message", async () => {
  const { connectReady } = await startWireServer();
  const client = await connectReady();
  const reply_to = client.sendMessage("session_settings", {});
  expect((await client.next("status")).data).toMatchObject({ status: "ready", details: { reply_to } });
  client.send(JSON.stringify({ type: "session_settings", timestamp: 1, message_id: 17 }));
  expect((await client.next("status")).data).toMatchObject({ details: { reply_to: 17 } });
});

test("settings outside data are ignored with a warning, and the message is still answered", async () => {
  const { connectReady, sessions } = await startWireServer();
  const client = await connectReady();
  const turn_detection = { silence_threshold: 2 };
  client.send(JSON.stringify({ type: "session_settings", timestamp: 1, message_id: "m", turn_detection }));
  const error = await client.nextError();
  expect(error).toMatchObject({
    error_code: "SETTINGS_OUTSIDE_DATA",
    details: { fields: ["turn_detection"], reply_to: "m" },
  });
  expect(error.error_message).toContain("inside data");
  expect((await client.next("status")).data).toMatchObject({ status: "ready", details: { reply_to: "m" } });
  expect(sessions[0]?.patches.at(-1)).toEqual({});
});

test.each(["binary", "text"])(
  "audio in a wrong format is reported once, and the conversation goes on: %s",
  async (kind) => {
    const { connectReady, sessions } = await startWireServer();
    const client = await connectReady();
    const samples = Float32Array.from({ length: 48_000 }, (_, i) => 0.3 * Math.sin(i * i * 1e-5));
    const floats = Buffer.from(samples.buffer);
    for (let at = 0; at < floats.length; at += 9600) {
      const chunk = floats.subarray(at, at + 9600);
      if (kind === "binary") client.send(chunk);
      else client.sendMessage("audio_input", { audio: chunk.toString("base64") });
    }
    expect(await client.nextError()).toEqual({
      error_code: "AUDIO_FORMAT_SUSPECT",
      error_message:
        "The audio looks like 32-bit float samples. Send 16-bit little-endian mono PCM at 24000 Hz, without a header.",
      details: { looks_like: "32-bit float samples", expected: "pcm_24khz_16bit_mono" },
    });
    await client.settled();
    expect(client.received.filter(({ type }) => type === "error")).toHaveLength(1);
    expect(Buffer.concat(sessions[0]?.audio ?? []).length).toBe(floats.length);
  },
);

test.each(["binary", "text"])("a wrong format is reported for chunks of an odd length too: %s", async (kind) => {
  const { connectReady } = await startWireServer();
  const client = await connectReady();
  const webm = Buffer.concat([Buffer.from("1a45dfa3", "hex"), Buffer.alloc(501, 3)]);
  if (kind === "binary") client.send(webm);
  else client.sendMessage("audio_input", { audio: webm.toString("base64") });
  expect((await client.nextError()).details).toMatchObject({ looks_like: "a WebM or Matroska stream" });
});

test("settings may be sent again, and an error in them names the field and changes nothing", async () => {
  const { connectReady, sessions } = await startWireServer();
  const client = await connectReady();
  const reply_to = client.sendMessage("session_settings", {
    audio: { sample_rate: 16000 },
    turn_detection: { mode: "standard" },
  });
  const error = await client.nextError();
  expect(error.error_code).toBe("INVALID_SETTINGS");
  expect(error.error_message).toContain("only 24000 is accepted");
  expect(error.details).toMatchObject({ field: "data.audio.sample_rate", reply_to });
  client.sendMessage("session_settings", { turn_detection: { mode: "adaptive" } });
  await client.next("status");
  expect(sessions[0]?.patches).toEqual([{}, { turnDetection: { mode: "adaptive" } }]);
});

test("each refused frame gets an error with a code, and the connection stays open", async () => {
  const { connectReady, sessions } = await startWireServer();
  const client = await connectReady();
  const envelope = { type: "keep_alive", timestamp: 1, message_id: "m" };
  const audio = (data: object) => JSON.stringify({ ...envelope, type: "audio_input", data });
  const cases: [frame: string | Buffer, code: string, details: object][] = [
    ["{", "MALFORMED_JSON", {}],
    ["null", "INVALID_MESSAGE", { field: "" }],
    [JSON.stringify({ ...envelope, timestamp: undefined }), "INVALID_MESSAGE", { field: "timestamp" }],
    [JSON.stringify({ ...envelope, message_id: undefined }), "INVALID_MESSAGE", { field: "message_id" }],
    [JSON.stringify({ ...envelope, type: "tts_chunk" }), "UNKNOWN_MESSAGE_TYPE", { type: "tts_chunk", reply_to: "m" }],
    [audio({ chunk_id: "1" }), "INVALID_MESSAGE", { field: "data.audio", reply_to: "m" }],
    [audio({ audio: "AAAAA", chunk_id: "1" }), "AUDIO_PROCESSING_FAILED", { chunk_id: "1" }],
    [audio({ audio: "AA!!", chunk_id: "2" }), "AUDIO_PROCESSING_FAILED", { chunk_id: "2" }],
    [audio({ audio: "", chunk_id: "3" }), "AUDIO_PROCESSING_FAILED", { chunk_id: "3" }],
    [Buffer.alloc(0), "AUDIO_PROCESSING_FAILED", { byte_length: 0 }],
  ];
  for (const [frame, code, details] of cases) {
    client.send(frame);
    const error = await client.nextError();
    expect([frame, error.error_code]).toEqual([frame, code]);
    expect(error.details).toMatchObject(details);
  }
  await client.settled();
  expect(sessions[0]?.audio).toEqual([]);
});

test("audio before settings is dropped with an error", async () => {
  const { connect, sessions } = await startWireServer();
  const client = connect();
  const reply_to = client.sendMessage("audio_input", { audio: "AAA=", chunk_id: "first" });
  expect(await client.nextError()).toMatchObject({
    error_code: "AUDIO_BEFORE_SETTINGS",
    details: { chunk_id: "first", reply_to },
  });
  client.send(Buffer.alloc(2));
  expect((await client.nextError()).error_code).toBe("AUDIO_BEFORE_SETTINGS");
  await client.settled();
  expect(sessions[0]?.audio).toEqual([]);
});

test("a typed text reaches a session that is ready", async () => {
  const { connect, sessions } = await startWireServer();
  const client = connect();
  const reply_to = client.sendMessage("text_input", { text: "too early" });
  expect(await client.nextError()).toMatchObject({ error_code: "TEXT_BEFORE_SETTINGS", details: { reply_to } });
  client.sendMessage("session_settings", {});
  client.sendMessage("text_input", { text: " " });
  expect(await client.nextError()).toMatchObject({ error_code: "INVALID_MESSAGE", details: { field: "data.text" } });
  client.sendMessage("text_input", { text: "When is breakfast?" });
  await client.settled();
  expect(sessions[0]?.texts).toEqual(["When is breakfast?"]);
});

test("audio faster than real time is dropped after a burst, and too much of it closes the connection", async () => {
  const { connectReady, sessions, clock } = await startWireServer({
    limits: { audio_burst_seconds: 2, max_dropped_audio_seconds: 1 },
  });
  const client = await connectReady();
  client.send(seconds(2));
  client.send(seconds(0.5));
  expect((await client.nextError()).error_code).toBe("AUDIO_RATE_EXCEEDED");
  clock.advance(1_000);
  client.send(seconds(1));
  await client.settled();
  expect(sessions[0]?.audio.map(({ length }) => length)).toEqual([96_000, 48_000]);
  client.send(seconds(0.5));
  expect((await client.nextError()).error_code).toBe("AUDIO_RATE_EXCEEDED");
  client.send(seconds(0.5));
  expect((await client.nextError()).error_code).toBe("AUDIO_RATE_EXCEEDED");
  expect(await client.closed).toEqual({ code: 1008, reason: "AUDIO_RATE_EXCEEDED" });
  await expect.poll(() => sessions[0]?.isClosed).toBe(true);
});

test("a flood of messages gets an error and close code 1008", async () => {
  const { connectReady } = await startWireServer({ limits: { max_messages_per_second: 5 } });
  const client = await connectReady();
  for (let sent = 0; sent < 10; sent++) client.sendMessage("keep_alive");
  expect((await client.nextError()).error_code).toBe("MESSAGE_RATE_EXCEEDED");
  expect((await client.closed).code).toBe(1008);
});

test("the rate of errors is limited, and the next error reports how many were omitted", async () => {
  const { connectReady, clock } = await startWireServer();
  const client = await connectReady();
  for (let sent = 0; sent < 30; sent++) client.send("{");
  await client.settled();
  expect(client.received.filter(({ type }) => type === "error")).toHaveLength(20);
  for (const details of [{ suppressed_errors: 10 }, {}]) {
    clock.advance(500);
    client.send("{");
    await client.settled();
    expect(client.received.findLast((message) => message.type === "error")?.data.details).toEqual(details);
  }
});

test("a message over the limit closes with 1009, invalid UTF-8 with 1007", async () => {
  const { connectReady } = await startWireServer({ limits: { max_message_bytes: 1_024 } });
  const big = await connectReady();
  big.send(Buffer.alloc(1_024));
  await big.settled();
  big.send(Buffer.alloc(1_025));
  expect((await big.closed).code).toBe(1009);
  const garbled = await connectReady();
  garbled.socket.send(Buffer.from([0xc3, 0x28]), { binary: false });
  expect((await garbled.closed).code).toBe(1007);
});

test("a connection without messages for the idle time gets an error and 4408, and pongs do not count", async () => {
  const { connect, clock, sessions } = await startWireServer({
    limits: { idle_timeout_seconds: 60, ping_interval_seconds: 45 },
  });
  const client = connect();
  await client.next("connection_metadata");
  clock.advance(59_999);
  await client.settled();
  // The answer to this message shows that the server has read the pong as well.
  await client.settled();
  clock.advance(59_999);
  await client.settled();
  await client.settled();
  clock.advance(60_000);
  expect((await client.nextError()).error_code).toBe("IDLE_TIMEOUT");
  expect((await client.closed).code).toBe(4408);
  await expect.poll(() => sessions[0]?.isClosed).toBe(true);
});

test("a client that neither answers pings nor sends anything is dropped, and others stay", async () => {
  const { connect, urlOf, key, clock } = await startWireServer({ limits: { ping_interval_seconds: 10 } });
  const gone = new WireClient(urlOf({ api_key: key, config_id: "default" }), { autoPong: false });
  await gone.next("connection_metadata");
  const talking = new WireClient(urlOf({ api_key: key, config_id: "default" }), { autoPong: false });
  await talking.next("connection_metadata");
  const alive = connect();
  await alive.next("connection_metadata");
  const pinged = new Promise((resolve) => alive.socket.once("ping", resolve));
  clock.advance(10_000);
  await pinged;
  await alive.settled();
  await talking.settled();
  clock.advance(10_000);
  expect((await gone.closed).code).toBe(1006);
  await alive.settled();
  await talking.settled();
});

test("a client that stops reading is closed with 4429, and its session ends at once", async () => {
  const { connectReady, sessions } = await startWireServer({ limits: { max_outbound_bytes: 65_536 } });
  const client = await connectReady();
  client.socket.pause();
  const session = sessions[0]!;
  const event = {
    type: "reply-audio",
    reply: 1,
    pcm: new Int16Array(24_576),
    sampleRateHz: 24_000,
    playsAtMs: 0,
  } as const;
  let sent = 0;
  for (; sent < 2_000 && !session.isClosed; sent++) {
    session.request.emit(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(session.isClosed).toBe(true);
  expect(() => session.request.emit(event)).not.toThrow();
  client.socket.resume();
  expect(await client.closed).toEqual({ code: 4429, reason: "CLIENT_TOO_SLOW" });
  expect(client.received.filter(({ type }) => type === "tts_chunk").length).toBeLessThan(sent);
});

test("a session may send after its connection closed, and is closed once", async () => {
  let closes = 0;
  class Counting extends RecordingSession {
    override async close() {
      closes += 1;
    }
  }
  const made: RecordingSession[] = [];
  const { connectReady, server } = await startWireServer({
    openSession: (request) => {
      const session = new Counting(request);
      made.push(session);
      return session;
    },
  });
  const client = await connectReady();
  client.socket.close();
  await client.closed;
  await expect.poll(() => server.stats().connections).toBe(0);
  made[0]?.request.emit({
    type: "reply-ended",
    reply: 1,
    turn: 1,
    how: "interrupted",
    heardMs: 0,
    cutShort: false,
    spans: [],
  });
  made[0]?.request.emit({ type: "failure", stage: "llm", code: "LLM_UNAVAILABLE", cause: "INTERNAL", turn: 1 });
  expect(closes).toBe(1);
});

test("a session that throws ends only its connection, and the log contains nothing of the caller", async () => {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const failing: VoiceSession = {
    ready: true,
    configure: () => {
      throw new Error("my account number is 12345");
    },
    pushAudio: () => {},
    addText: () => {},
    reportPlayback: () => {},
    endTurn: () => {},
    dropTurn: () => {},
    respond: () => {},
    stopReply: () => {},
    say: () => true,
    giveToolResult: () => false,
    detach: () => {},
    recover: () => ({ messages: 0, unansweredWords: "", reply: undefined, calls: [], timers: [] }),
    attach: () => {},
    snapshot: () => emptySnapshot,
    restore: () => {},
    forgetTimers: () => {},
    history: new History(),
    quiet: () => Promise.resolve(),
    close: () => Promise.reject(new Error("my account number is 12345")),
  };
  let isFirst = true;
  const { connect } = await startWireServer({
    log,
    openSession: (request) => {
      if (!isFirst) return new RecordingSession(request);
      isFirst = false;
      return failing;
    },
  });
  const broken = connect();
  await broken.next("connection_metadata");
  const other = connect();
  await other.next("connection_metadata");
  broken.sendMessage("session_settings", {});
  const error = await broken.nextError();
  expect(error.error_code).toBe("INTERNAL_ERROR");
  expect(await broken.closed).toEqual({ code: 1011, reason: "INTERNAL_ERROR" });
  await other.settled();
  expect(JSON.stringify(error) + lines.join("")).not.toContain("12345");
  expect(lines.filter((line) => line.includes("The session failed."))).toHaveLength(2);
});

test.each([
  [new Error("no engine"), "INTERNAL_ERROR"],
  [new OakError("The model is not loaded.", { code: "MODEL_NOT_LOADED" }), "MODEL_NOT_LOADED"],
])("a session that cannot be opened (%s) gets %s and 1011, and its place is free again", async (fault, code) => {
  const { connect, server } = await startWireServer({
    openSession: () => {
      throw fault;
    },
  });
  const client = connect();
  expect((await client.nextError()).error_code).toBe(code);
  expect((await client.closed).code).toBe(1011);
  await expect.poll(() => server.stats().connections).toBe(0);
});

test("logs contain no key, no token, no text and no query", async () => {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const { connect, key, token } = await startWireServer({ log });
  const secret = await token();
  const client = connect({ api_key: key, config_id: "default" });
  client.sendMessage("session_settings", {
    turn_detection: { context_awareness: { user_preferences: "harvest moon" } },
  });
  client.send("harvest moon");
  client.sendMessage("harvest moon");
  client.sendMessage("audio_input", { audio: "harvest moon" });
  await client.settled();
  client.socket.close();
  await client.closed;
  await connect({ authorization: `Bearer ${secret}`, config_id: "harvest moon" }).closed;
  await connect({ api_key: `${key}x`, config_id: "default" }).closed;
  expect(lines.length).toBeGreaterThan(3);
  for (const hidden of [key, key.slice(4, 20), secret, "harvest", "api_key="])
    expect(lines.join("")).not.toContain(hidden);
});

import { describe, expect, test } from "vitest";
import type { CallEvent, CallRecord, HeardChunk } from "../../src/simulated-callers/call-figures.ts";
import { compare, outcomesOf, type Conversation } from "../../bench/peers/comparison.ts";
import { alternate } from "../../bench/peers/order.ts";
import { pipecatSocket } from "../../bench/peers/pipecat-socket.ts";
import { pauseInReplyMs, silenceAtEarMs } from "../../src/simulated-callers/silence-at-ear.ts";
import { plannedUtterances } from "../../bench/peers/utterances.ts";
import { serverMessageSchema, type ServerMessage } from "../../src/doors/voice/server-messages.ts";
import { FakeSocket } from "../client/fake-socket.ts";

/** Chunks of 100 ms that are audible for their first 80 ms and arrive `leadMs` before they play. */
const speech = (fromMs: number, toMs: number, leadMs = 0): HeardChunk[] =>
  Array.from({ length: (toMs - fromMs) / 100 }, (_, at) => {
    const playMs = fromMs + at * 100;
    return { receivedMs: playMs - leadMs, playMs, durationMs: 100, audibleMs: playMs, audibleToMs: playMs + 80 };
  });
const interruption = (atMs: number): CallEvent => ({ atMs, type: "interruption" });
const turnEnd = (atMs: number): CallEvent => ({ atMs, type: "turn_end", transcript: "stop" });
const silence = (audio: readonly HeardChunk[], ...events: CallEvent[]) =>
  silenceAtEarMs({ audio, events }, { startMs: 1000 }, 9000);

describe("silence at the ear", () => {
  test("the interruption message drops speech that was not played", () => {
    expect(silence(speech(500, 3000, 300), interruption(1250))).toBe(250);
  });

  test("a message in a pause does not count the pause", () => {
    expect(silence(speech(500, 3000, 300), interruption(1290))).toBe(280);
  });

  test("sending that stopped before the message counts until the last audible sample", () => {
    expect(silence(speech(500, 1400), interruption(2500))).toBe(380);
  });

  test("a reply that resumes counts until its real end", () => {
    expect(silence([...speech(500, 1400), ...speech(2000, 2300)], interruption(2500))).toBe(1280);
  });

  test("the answer does not count, with and without a message", () => {
    const audio = [...speech(500, 1500), ...speech(4000, 6000)];
    expect(silence(audio, interruption(1350), turnEnd(3000))).toBe(350);
    expect(silence(audio, turnEnd(3000))).toBe(480);
  });

  test("a reply that was over before is silent at once", () => {
    expect(silence(speech(500, 900), interruption(1300))).toBe(0);
  });
});

test("the pause in a reply is the longest gap before speech that follows the sound", () => {
  const pause = (audio: readonly HeardChunk[], ...events: CallEvent[]) =>
    pauseInReplyMs({ audio, events }, { startMs: 1000 }, 9000);
  expect(pause(speech(500, 3000))).toBe(0);
  expect(pause([...speech(500, 1300), ...speech(1700, 3000)])).toBe(400);
  expect(pause([...speech(100, 300), ...speech(800, 1200)])).toBe(0);
  // An answer to the sound is another reply.
  expect(pause([...speech(500, 2000), ...speech(4000, 6000)], turnEnd(3000))).toBe(0);
});

test("utterances: four hesitations, and six barge-ins and four sounds, each over the reply to a plain turn", () => {
  const kinds = plannedUtterances().map(({ kind }) => kind);
  const count = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
  expect([count("plain"), count("hesitation"), count("barge-in"), count("sound")]).toEqual([10, 4, 6, 4]);
  for (const [index, kind] of kinds.entries())
    if (kind === "barge-in" || kind === "sound") expect(kinds[index - 1]).toBe("plain");
});

test("the systems take turns", () => {
  expect(alternate(["oakvoice", "pipecat"], 2)).toEqual(["oakvoice", "pipecat", "oakvoice", "pipecat"]);
  expect(alternate(["pipecat"], 2)).toEqual(["pipecat", "pipecat"]);
});

test("frames of the Pipecat bot become messages of the native interface", async () => {
  let inner!: FakeSocket;
  const socket = pipecatSocket((url) => (inner = new FakeSocket(url)))("ws://127.0.0.1:8932/call-1");
  const messages: ServerMessage[] = [];
  socket.addEventListener("message", ({ data }) =>
    messages.push(serverMessageSchema.parse(JSON.parse(data as string))),
  );
  socket.send(JSON.stringify({ type: "session_settings", message_id: "m1", data: {} }));
  socket.send(JSON.stringify({ type: "keep_alive", message_id: "m2" }));
  await Promise.resolve(); // the adapter's own answers come after the call
  for (const frame of [
    { type: "turn_start" },
    { type: "turn_end", text: "hello" },
    { type: "reply", text: "Hi." },
    { type: "reply_end" },
    { type: "interruption" },
  ])
    inner.tell("message", { data: JSON.stringify(frame) });
  inner.tell("message", { data: Buffer.from([1, 2]) });
  expect(messages).toMatchObject([
    { type: "status", data: { status: "ready" } },
    { type: "status", data: { status: "alive" } },
    { type: "turn_start", data: { turn_id: "call-1.1" } },
    { type: "turn_end", data: { turn_id: "call-1.1", transcript: "hello" } },
    { type: "llm_response_chunk", data: { content: "Hi.", is_final: false } },
    { type: "llm_response_chunk", data: { is_final: true } },
    { type: "tts_interruption" },
    { type: "tts_chunk", content: "AQI=" },
  ]);
  // 24 kHz become 16 kHz. The filter holds the last samples until it knows the next ones.
  for (let sent = 0; sent < 50; sent += 1) socket.send(new Uint8Array(960));
  const samples = inner.sent.reduce((sum, pcm) => sum + (pcm instanceof Uint8Array ? pcm.length / 2 : 0), 0);
  expect(samples).toBeGreaterThan(15_900);
  expect(samples).toBeLessThanOrEqual(16_000);
});

describe("the comparison", () => {
  const said = [
    { name: "hello", kind: "warm-up" },
    { name: "home", kind: "plain" },
    { name: "stop", kind: "barge-in" },
    { name: "mm-hmm", kind: "sound" },
  ] as const;
  const spoken = (startMs: number, meantAs?: "interruption" | "backchannel") => ({
    text: "stop",
    meantAs,
    overReply: meantAs !== undefined,
    startMs,
    endMs: startMs + 500,
  });
  const call: CallRecord = {
    caller: 0,
    silenceThresholdMs: 500,
    utterances: [spoken(0), spoken(10_000), spoken(12_000, "interruption"), spoken(20_000, "backchannel")],
    secrets: [],
    events: [turnEnd(11_000), interruption(12_300), turnEnd(13_000)],
    audio: [...speech(11_200, 14_000, 100), ...speech(19_000, 22_000)],
    breaks: [],
    closed: undefined,
  };
  const conversation = (system: Conversation["system"], cores: number): Conversation => ({
    system,
    cores,
    otherCores: 0,
    residentMb: 1234,
    call,
  });

  test("the warm-up is not measured, and each kind has its own measures", () => {
    const outcomes = outcomesOf(call, said);
    expect(outcomes.map(({ name }) => name)).toEqual(["home", "stop", "mm-hmm"]);
    expect(outcomes).toMatchObject([
      { voiceToVoiceMs: 700, silenceAtEarMs: undefined },
      { bargeInMs: 300, silenceAtEarMs: 280, pauseInReplyMs: undefined },
      { stoppedReply: false, pauseInReplyMs: 0 },
    ]);
  });

  test("words that come as two turns are a split; an empty turn does not count", () => {
    const end = (atMs: number, transcript: string): CallEvent => ({ atMs, type: "turn_end", transcript });
    const split = (events: CallEvent[]) => outcomesOf({ ...call, events }, said)[0]?.isSplit;
    expect(split([end(10_300, "book a"), end(11_000, "table")])).toBe(true);
    expect(split([end(10_300, ""), end(11_000, "table")])).toBe(false);
    expect(split([end(11_000, "table"), end(13_000, "stop")])).toBe(false);
  });

  test("a reply that ends by itself just after the first voiced sample is not one that a sound was over", () => {
    const short = { ...call, audio: speech(19_000, 20_300) };
    expect(outcomesOf(short, said)[2]).toMatchObject({ name: "mm-hmm", overReply: false, pauseInReplyMs: undefined });
  });

  test("two systems have a ratio of the medians, one has none", () => {
    const { rows } = compare([conversation("pipecat", 0.5), conversation("oakvoice", 0.25)], said);
    const cells = (name: string) => rows.find((row) => row.name === name)?.cells;
    expect(rows[0]?.cells).toEqual(["Oakvoice", "Pipecat", "ratio"]);
    expect(cells("voice to voice, ms")).toEqual(["700 / 700", "700 / 700", "1.00"]);
    expect(cells("cores a caller")).toEqual(["0.25", "0.50", "0.50"]);
    expect(cells("the reply goes on: mm-hmm")).toEqual(["1 of 1", "1 of 1", ""]);
    expect(cells("memory, MB")).toEqual(["1234", "1234", "1.00"]);
    expect(cells("hesitations cut off")).toEqual(["0 of 0", "0 of 0", ""]);
    expect(compare([conversation("pipecat", 1)], said).rows[0]?.cells).toEqual(["Pipecat"]);
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeMediaStream } from "../../../src/doors/media-stream/decode.ts";

const decode = (message: unknown) => decodeMediaStream(Buffer.from(JSON.stringify(message)), false);
const startOf = (message: unknown) => {
  const input = decode(message);
  if (input.type !== "start") throw new Error(JSON.stringify(input));
  return input;
};
const read = (frame: string | Uint8Array | undefined) => JSON.parse(String(frame)) as unknown;
const bytes = Uint8Array.from([255, 127, 0]);
const payload = "/38A";

const TWILIO = {
  event: "start",
  sequenceNumber: "1",
  start: {
    accountSid: "AC1",
    streamSid: "MZ1",
    callSid: "CA1",
    tracks: ["inbound"],
    mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
    customParameters: { caller: "Ada" },
  },
  streamSid: "MZ1",
};
const TELNYX = {
  event: "start",
  sequence_number: "1",
  start: {
    user_id: "u",
    call_control_id: "v2:c",
    from: "+13122010094",
    to: "+13122123456",
    custom_parameters: { customer_id: "7" },
    media_format: { encoding: "PCMA", sample_rate: 8000, channels: 1 },
  },
  stream_id: "S1",
};
const PLIVO = {
  event: "start",
  sequenceNumber: 0,
  start: {
    callId: "c1",
    streamId: "P1",
    accountId: "M",
    tracks: ["inbound"],
    mediaFormat: { encoding: "audio/x-l16", sampleRate: 16000 },
  },
  extra_headers: "userId=12;session=a=b",
};

describe("Twilio", () => {
  test("start and commands", () => {
    const { format, name, variables, frameBytes, encode } = startOf(TWILIO);
    expect({ format, name, variables, frameBytes }).toEqual({
      format: { encoding: "ulaw", sampleRateHz: 8000 },
      name: "CA1",
      variables: { caller: "Ada" },
      frameBytes: 160,
    });
    expect(read(encode({ type: "audio", bytes }))).toEqual({ event: "media", streamSid: "MZ1", media: { payload } });
    expect(read(encode({ type: "mark", name: "3" }))).toEqual({ event: "mark", streamSid: "MZ1", mark: { name: "3" } });
    expect(read(encode({ type: "flush" }))).toEqual({ event: "clear", streamSid: "MZ1" });
    for (const type of ["pause", "continue", "answer", "hang-up"] as const) expect(encode({ type })).toBeUndefined();
  });

  test("the other messages", () => {
    expect(decode({ event: "connected", protocol: "Call", version: "1.0.0" })).toEqual({ type: "ignored" });
    expect(decode({ event: "media", media: { track: "inbound", chunk: "2", timestamp: "5", payload } })).toMatchObject({
      type: "audio",
      bytes: Buffer.from(bytes),
    });
    expect(decode({ event: "media", media: { track: "outbound", payload } })).toEqual({ type: "ignored" });
    expect(decode({ event: "mark", mark: { name: "3" } })).toEqual({ type: "mark", name: "3" });
    expect(decode({ event: "dtmf", dtmf: { track: "inbound_track", digit: "#" } })).toEqual({ type: "key", key: "#" });
    expect(decode({ event: "stop", stop: { callSid: "CA1" } })).toEqual({ type: "hung-up" });
  });
});

test("Telnyx: names with underscores, A-law, and the numbers of the call", () => {
  const { format, name, variables, encode } = startOf(TELNYX);
  expect({ format, name }).toEqual({ format: { encoding: "alaw", sampleRateHz: 8000 }, name: "v2:c" });
  expect(variables).toEqual({ from: "+13122010094", to: "+13122123456", customer_id: "7" });
  expect(read(encode({ type: "flush" }))).toEqual({ event: "clear", stream_id: "S1" });
});

test("Plivo: 16-bit audio and commands of its own", () => {
  const { format, variables, encode } = startOf(PLIVO);
  expect(format).toEqual({ encoding: "pcm16", sampleRateHz: 16000 });
  expect(variables).toEqual({ userId: "12", session: "a=b" });
  expect(read(encode({ type: "audio", bytes }))).toEqual({
    event: "playAudio",
    media: { contentType: "audio/x-l16", sampleRate: 16000, payload },
  });
  expect(read(encode({ type: "mark", name: "3" }))).toEqual({ event: "checkpoint", streamId: "P1", name: "3" });
  expect(read(encode({ type: "flush" }))).toEqual({ event: "clearAudio", streamId: "P1" });
  expect(decode({ event: "playedStream", streamId: "P1", name: "3" })).toEqual({ type: "mark", name: "3" });
});

test("L16 is 16-bit audio, with or without the prefix of its type", () => {
  const formatOf = (encoding: string, sample_rate: number) =>
    startOf({ ...TELNYX, start: { ...TELNYX.start, media_format: { encoding, sample_rate } } }).format;
  for (const name of ["L16", "audio/l16", "audio/x-l16"])
    for (const sampleRateHz of [8_000, 16_000])
      expect(formatOf(name, sampleRateHz)).toEqual({ encoding: "pcm16", sampleRateHz });
});

test("base64 without padding, url-safe or with a line end is audio", () => {
  for (const written of ["_38A", "_38", "/38\r\n", " /38="].filter((form) => form !== payload))
    expect(decode({ event: "media", media: { payload: written } })).toMatchObject({ type: "audio" });
});

test("a field that is null counts as not given", () => {
  const nulls = { callSid: null, from: null, to: null, mediaFormat: null, customParameters: null };
  const { format, variables, encode } = startOf({ ...TWILIO, extra_headers: null, start: nulls });
  expect({ format, variables }).toEqual({ format: { encoding: "ulaw", sampleRateHz: 8000 }, variables: {} });
  expect(read(encode({ type: "flush" }))).toEqual({ event: "clear", streamSid: "MZ1" });
  expect(decode({ event: "media", media: { track: null, payload } })).toMatchObject({ type: "audio" });
});

test.each([
  ["audio/x-l16", 44_100],
  ["audio/x-mulaw", 16_000],
  ["G722", 8_000],
])("%s at %i Hz is named and not decoded", (encoding, sampleRate) => {
  const start = startOf({ ...TWILIO, start: { ...TWILIO.start, mediaFormat: { encoding, sampleRate } } });
  expect(start.format).toBeUndefined();
  expect(start.formatName).toBe(`${encoding} at ${String(sampleRate)} Hz`);
});

test("bad input is named, and nothing makes the decoder throw", () => {
  const bad = [
    [{ event: "media", media: { payload: "not base64!" } }, "AUDIO_PROCESSING_FAILED"],
    [{ event: "media" }, "INVALID_MESSAGE"],
    [{ event: "dtmf", dtmf: { digit: "12" } }, "INVALID_MESSAGE"],
    [{ event: "later" }, "UNKNOWN_MESSAGE_TYPE"],
    [[], "INVALID_MESSAGE"],
  ] as const;
  for (const [message, code] of bad) expect(decode(message)).toMatchObject({ type: "invalid", code });
  expect(decodeMediaStream(Buffer.from("{"), false)).toMatchObject({ type: "invalid", code: "INVALID_MESSAGE" });
  expect(decodeMediaStream(Buffer.alloc(70_000, "["), false)).toMatchObject({ type: "invalid" });
  expect(decodeMediaStream(Buffer.from("x"), true)).toMatchObject({ type: "invalid" });
  const message = fc.record({
    event: fc.constantFrom("start", "media", "mark", "dtmf", "stop", "__proto__"),
    start: fc.jsonValue(),
    media: fc.oneof(fc.jsonValue(), fc.record({ payload: fc.string() })),
    extra_headers: fc.string(),
  });
  fc.assert(fc.property(fc.oneof(message, fc.jsonValue()), (value) => typeof decode(value).type === "string"));
});

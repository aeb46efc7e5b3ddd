import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeAsterisk } from "../../../src/doors/asterisk/decode.ts";
import type { CallCommand } from "../../../src/doors/telephone/call-protocol.ts";

const text = (message: string | object) =>
  decodeAsterisk(Buffer.from(typeof message === "string" ? message : JSON.stringify(message)), false);

const PLAIN_START =
  "MEDIA_START connection_id:oakvoice channel:WebSocket/oakvoice/0x7f channel_id:1764.9 format:slin24 optimal_frame_size:960 ptime:20";
const JSON_START = {
  event: "MEDIA_START",
  connection_id: "oakvoice",
  channel: "WebSocket/oakvoice/0x7f",
  channel_id: "1764.9",
  format: "ulaw",
  optimal_frame_size: 160,
  ptime: 20,
  channel_variables: { CALLER: "Ada", COUNT: 3, __ROOM: "7", nested: {} },
};

test("the start names the call, its format and its variables, as text and as JSON", () => {
  expect(text(PLAIN_START)).toMatchObject({
    type: "start",
    name: "1764.9",
    format: { encoding: "pcm16", sampleRateHz: 24_000 },
    frameBytes: 960,
    variables: {},
  });
  expect(text(JSON_START)).toMatchObject({
    type: "start",
    format: { encoding: "ulaw", sampleRateHz: 8_000 },
    frameBytes: 160,
    variables: { CALLER: "Ada", COUNT: "3", ROOM: "7" },
  });
});

test.each(["slin24", "slin16", "slin", "ulaw", "alaw"])("the format %s is known", (format) => {
  expect(text({ ...JSON_START, format })).toMatchObject({ format: { encoding: expect.any(String) } });
});

test.each(["g722", "opus", "toString", ""])("the format %j is not", (format) => {
  expect(text({ ...JSON_START, format })).toMatchObject({ type: "start", format: undefined });
});

test.each([0, -1, 1e9, 1.5, "x", null])("a frame size of %j becomes 20 ms", (size) => {
  expect(text({ ...JSON_START, optimal_frame_size: size })).toMatchObject({ frameBytes: 160 });
});

test("events have the same meaning as text and as JSON", () => {
  const events: [string, object, object][] = [
    ["DTMF_END digit:5 channel_id:1", { event: "DTMF_END", digit: "5" }, { type: "key", key: "5" }],
    ["DTMF_END digit:# channel_id:1", { event: "DTMF_END", digit: "#" }, { type: "key", key: "#" }],
    ["MEDIA_XOFF", { event: "MEDIA_XOFF" }, { type: "full" }],
    ["MEDIA_XON", { event: "MEDIA_XON" }, { type: "room" }],
    ["MEDIA_MARK_PROCESSED 7", { event: "MEDIA_MARK_PROCESSED", correlation_id: "7" }, { type: "mark", name: "7" }],
    ["QUEUE_DRAINED", { event: "QUEUE_DRAINED" }, { type: "ignored" }],
    ["STATUS channel_id:1 queue_length:0", { event: "STATUS", queue_length: 0 }, { type: "ignored" }],
    [
      "ERROR channel_id:1 error_text:no such thing",
      { event: "ERROR", error_text: "no such thing" },
      {
        type: "invalid",
        message: "Asterisk reports an error; its own log has the text.",
      },
    ],
    ["SOMETHING_NEW", { event: "SOMETHING_NEW" }, { type: "invalid", code: "UNKNOWN_MESSAGE_TYPE" }],
    ["DTMF_END", { event: "DTMF_END", digit: "55" }, { type: "invalid", code: "INVALID_MESSAGE" }],
  ];
  for (const [plain, json, input] of events) {
    expect(text(plain)).toMatchObject(input);
    expect(text(json)).toMatchObject(input);
  }
});

test("binary frames are audio", () => {
  expect(decodeAsterisk(Buffer.from([1, 2]), true)).toMatchObject({ type: "audio", bytes: Buffer.from([1, 2]) });
});

test("no text makes the decoder throw", () => {
  const message = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ event: fc.constantFrom("MEDIA_START", "DTMF_END", "ERROR"), channel_variables: fc.jsonValue() })
      .map((value) => JSON.stringify(value)),
    fc.array(fc.string({ maxLength: 12 }), { maxLength: 8 }).map((words) => `MEDIA_START ${words.join(" ")}`),
  );
  fc.assert(fc.property(message, (value) => typeof text(value).type === "string"));
  expect(text("[".repeat(100_000))).toMatchObject({ type: "invalid" });
  expect(text(`{"event":${"[".repeat(60_000)}`)).toMatchObject({ type: "invalid" });
});

test("commands have the form of the events, and fit into 128 bytes", () => {
  const encoders = [text(PLAIN_START), text(JSON_START)].map((start) =>
    start.type === "start" ? start.encode : () => "",
  );
  const commands: [CallCommand, string, object][] = [
    [{ type: "mark", name: "12" }, "MARK_MEDIA 12", { command: "MARK_MEDIA", correlation_id: "12" }],
    [{ type: "flush" }, "FLUSH_MEDIA", { command: "FLUSH_MEDIA" }],
    [{ type: "pause" }, "PAUSE_MEDIA", { command: "PAUSE_MEDIA" }],
    [{ type: "continue" }, "CONTINUE_MEDIA", { command: "CONTINUE_MEDIA" }],
    [{ type: "answer" }, "ANSWER", { command: "ANSWER" }],
    [{ type: "hang-up" }, "HANGUP", { command: "HANGUP" }],
  ];
  for (const [command, plain, json] of commands) {
    expect(encoders[0]?.(command)).toBe(plain);
    const encoded = String(encoders[1]?.(command));
    expect(JSON.parse(encoded)).toEqual(json);
    expect(encoded.length).toBeLessThanOrEqual(128);
  }
  const bytes = Buffer.from([1, 2]);
  for (const encode of encoders) expect(encode({ type: "audio", bytes })).toBe(bytes);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClientMessage, unknownLanguage } from "../../../src/doors/voice/client-messages.ts";

const parse = (message: object) => parseClientMessage(JSON.stringify({ timestamp: 1.5, message_id: "m", ...message }));

test("the three message types of the interface are parsed", () => {
  expect(parse({ type: "keep_alive" }).ok).toEqual({ type: "keep_alive", messageId: "m" });
  expect(parse({ type: "keep_alive", data: 1, extra: true }).ok).toEqual({ type: "keep_alive", messageId: "m" });
  expect(parse({ type: "session_settings" }).ok).toEqual({
    type: "session_settings",
    messageId: "m",
    patch: {},
    misplaced: [],
  });
  expect(parse({ type: "audio_input", data: { audio: "AQID/w==", chunk_id: "c" } }).ok).toEqual({
    type: "audio_input",
    pcm: Buffer.from([1, 2, 3, 255]),
    about: { chunk_id: "c", reply_to: "m" },
  });
});

test("a chunk_id and a message_id may be numbers and are returned unchanged", () => {
  for (const chunk_id of [7, 0, -1.5, "", null]) {
    const { ok, failure } = parse({ type: "audio_input", message_id: 42, data: { audio: "AAA=", chunk_id } });
    expect(failure).toBeUndefined();
    expect(ok).toMatchObject({ about: { chunk_id, reply_to: 42 } });
  }
  const broken = parse({ type: "audio_input", message_id: 42, data: { audio: "A", chunk_id: 7 } }).failure;
  expect(broken?.details).toEqual({ chunk_id: 7, reply_to: 42 });
  expect(parse({ type: "keep_alive", message_id: 42 }).ok).toEqual({ type: "keep_alive", messageId: 42 });
  expect(parse({ type: "keep_alive", message_id: true }).failure?.message).toBe(
    "message_id: must be a string of 1 to 128 characters or a number",
  );
});

test("settings outside data are listed as misplaced", () => {
  const settings = { turn_detection: { mode: "adaptive" }, audio: { sample_rate: 24000 } };
  expect(parse({ type: "session_settings", ...settings }).ok).toMatchObject({
    patch: {},
    misplaced: ["turn_detection", "audio"],
  });
});

test.each([
  ["auto", { languages: ["en", "de"], identifiesLanguage: true }, undefined],
  [["en", "de"], { languages: ["en", "de"], identifiesLanguage: true }, undefined],
  [["en", "fr"], { languages: ["en", "de"], identifiesLanguage: true }, "the recogniser knows only en, de"],
  ["auto", { languages: ["en"] }, "the recogniser cannot identify languages: name one language"],
  [["en"], { languages: ["en"] }, undefined],
])("the language %j with the recogniser %j", (language, recogniser, message) => {
  const { ok } = parse({ type: "session_settings", data: { language } });
  if (ok?.type !== "session_settings") throw new Error("refused");
  expect(unknownLanguage(ok, recogniser)?.[1]).toBe(message && `data.language: ${message}`);
});

test("a language of the recogniser is accepted, another one is refused by its name", () => {
  const settingsIn = (language: unknown) => parse({ type: "session_settings", data: { language } });
  const { ok } = settingsIn("de");
  if (ok?.type !== "session_settings") throw new Error("refused");
  expect(ok.patch).toEqual({ language: "de" });
  for (const languages of [undefined, ["en", "de"]]) expect(unknownLanguage(ok, { languages })).toBeUndefined();
  const errors = [{ field: "data.language", message: "the recogniser knows only en, fr" }];
  expect(unknownLanguage(ok, { languages: ["en", "fr"] })).toEqual([
    "INVALID_SETTINGS",
    "data.language: the recogniser knows only en, fr",
    { field: "data.language", errors, reply_to: "m" },
  ]);
  for (const language of ["German", "de-DE", "", 1, null])
    expect(settingsIn(language).failure).toMatchObject({
      code: "INVALID_SETTINGS",
      details: { field: "data.language" },
    });
});

test("an object with a length that is not a number is refused where a string is expected", () => {
  const posing = { length: { valueOf: 1, toString: 1 } };
  for (const message of [{ type: posing }, { type: "keep_alive", message_id: posing }])
    expect(parse(message).failure?.code).toBe("INVALID_MESSAGE");
});

test("audio must be base64 of at least one byte", () => {
  const codeOf = (audio: string) =>
    parse({ type: "audio_input", data: { audio, chunk_id: "c" } }).failure?.code ?? "ok";
  for (const audio of ["AAA=", "AAAAAAAA", "AAA", "AAB=", "A A=", "AAA=\n", "AA--", "AAAA"])
    expect(codeOf(audio), audio).toBe("ok");
  for (const audio of ["AA=A", "", "A", "AAAAA", "====", "not base64!"])
    expect(codeOf(audio), audio).toBe("AUDIO_PROCESSING_FAILED");
});

test("a failure reports the path of the field and the id of the message", () => {
  const wrong = parse({
    type: "session_settings",
    data: { turn_detection: { context_awareness: { enabled: "yes" } } },
  });
  expect(wrong.failure).toMatchObject({
    code: "INVALID_SETTINGS",
    details: { field: "data.turn_detection.context_awareness.enabled", reply_to: "m" },
  });
  expect(parse({ type: "audio_input", data: { audio: "", chunk_id: {} } }).failure).toMatchObject({
    code: "INVALID_MESSAGE",
    details: { field: "data.chunk_id" },
  });
  expect(parse({ type: "audio_input", data: { chunk_id: "c" } }).failure?.details).toMatchObject({
    field: "data.audio",
    chunk_id: "c",
    reply_to: "m",
  });
  expect(parse({ type: "keep_alive", timestamp: "now" }).failure?.details).toMatchObject({
    field: "timestamp",
    reply_to: "m",
  });
  const nameless = parse({ type: "keep_alive", message_id: "x".repeat(129) }).failure?.details;
  expect(nameless).toMatchObject({ field: "message_id" });
  expect(nameless).not.toHaveProperty("reply_to");
  expect(parse({}).failure?.details).toMatchObject({ field: "type", reply_to: "m" });
});

test("a failure report stays small for a large message with many errors", () => {
  const keys = Array.from({ length: 4_000 }, () => "nonsense");
  const { failure } = parse({ type: "session_settings", data: { emotion_detection: { emotions_to_track: keys } } });
  expect(JSON.stringify(failure).length).toBeLessThan(4_000);
  expect(JSON.stringify(parse({ type: "x".repeat(100_000) }).failure).length).toBeLessThan(500);
});

test("property: any PCM is decoded unchanged", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 2, maxLength: 999 }), (bytes) => {
      const pcm = Buffer.from(bytes).subarray(0, bytes.length & ~1);
      const { ok } = parse({ type: "audio_input", data: { audio: pcm.toString("base64") } });
      expect(ok?.type === "audio_input" && ok.pcm.equals(pcm)).toBe(true);
    }),
  );
});

test("property: the parser does not throw for any text", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc
      .record({
        type: fc.constantFrom("session_settings", "audio_input", "keep_alive", "constructor"),
        timestamp: fc.anything(),
        message_id: fc.constantFrom("m", "", null, 3),
        data: fc.jsonValue(),
      })
      .map((message) => {
        try {
          return JSON.stringify(message);
        } catch {
          return "[1";
        }
      }),
  );
  fc.assert(
    fc.property(text, (value) => {
      const { ok, failure } = parseClientMessage(value);
      expect((ok === undefined) !== (failure === undefined)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("deep nesting is refused without a stack overflow", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  expect(parseClientMessage(deep).failure).toBeDefined();
  const inside = `{"type":"session_settings","timestamp":1,"message_id":"m","data":{"turn_detection":{"x":${deep}}}}`;
  expect(() => parseClientMessage(inside)).not.toThrow();
});

test("a message with too many parts is refused, even in ignored fields, and long audio is accepted", () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`unknown field ${index}`, index]));
  expect(parse({ type: "session_settings", data: many }).failure?.code).toBe("INVALID_MESSAGE");
  const audio = Buffer.alloc(390_000, "hostile?").toString("base64");
  expect(parse({ type: "audio_input", data: { audio } }).ok?.type).toBe("audio_input");
});

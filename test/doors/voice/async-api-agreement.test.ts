import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClientMessage } from "../../../src/doors/voice/client-messages.ts";
import { checkOf } from "./async-api-validator.ts";

/** Texts with lengths around each limit, of characters with one or two UTF-16 units. */
const text = fc.oneof(
  fc.constantFrom("", "Joy", "neutral", "CALMNESS", "boredom", "linear16", "a\nb", "\u007f", "\u0085", "\u2028"),
  fc
    .tuple(fc.constantFrom("a", "é", "𝄞", "\ud800"), fc.constantFrom(127, 128, 129, 200, 201, 1000, 1001))
    .map(([character, times]) => character.repeat(times)),
  fc.string({ unit: "binary" }),
);
const number = fc.oneof(
  fc.constantFrom(-1, -0, 0, 0.09, 0.1, 0.49, 0.5, 1, 1.01, 5, 5.01, 10, 10.01, 30, 30.01, 120, 121, 16_000, 24_000),
  fc.double({ noNaN: true }),
);
const anything = fc.oneof(fc.constant(null), fc.boolean(), text, number, fc.array(text), fc.jsonValue());

/** A valid value in 30 of 31 cases, so that many messages with many fields are valid as a whole. */
const nearly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: anything });
const part = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> => {
  const known = Object.fromEntries(Object.entries(fields).map(([name, right]) => [name, nearly(right)]));
  return nearly(fc.record({ ...known, unknown: anything }, { requiredKeys: [] }));
};

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const line = fc.oneof(fc.string({ maxLength: 50 }), text);
const emotion = fc.mixedCase(fc.constantFrom("joy", "neutral", "contempt", "empathy"));

const settings = part({
  emotion_detection: part({
    enabled: fc.boolean(),
    confidence_threshold: between(0, 1),
    update_frequency: fc.constantFrom("continuous", "on_turn_complete", "interval"),
    emotions_to_track: fc.oneof(
      fc.array(nearly(emotion), { maxLength: 3 }),
      fc.array(emotion, { minLength: 31, maxLength: 33 }),
    ),
    analysis_window: between(0.5, 30),
  }),
  turn_detection: part({
    enabled: fc.boolean(),
    mode: fc.constantFrom("standard", "adaptive", "aggressive", "conservative"),
    silence_threshold: between(0.1, 10),
    min_speaking_time: between(0, 5),
    max_turn_duration: between(1, 120),
    speech_threshold: between(0, 1),
    interrupt_threshold: between(0, 1),
    natural_pauses: fc.boolean(),
    background_noise_adaptation: fc.boolean(),
    speaking_rate_adaptation: fc.boolean(),
    context_awareness: part({ enabled: fc.boolean(), conversation_style: line, user_preferences: line }),
  }),
  audio: part({ sample_rate: fc.constant(24_000), channels: fc.constant(1), encoding: fc.constant("linear16") }),
  response_style: part({ tone: line, empathy_level: fc.oneof(number, line), explanation_detail: line }),
});

/** Audio of which about half is wrong: one character added, removed or replaced. */
const audio = fc
  .tuple(
    fc.uint8Array({ maxLength: 20 }),
    fc.nat(28),
    fc.constantFrom(0, 0, 0, 1),
    fc.constantFrom("", "B", "=", "\n", "-", "é"),
  )
  .map(([bytes, at, less, more]) => {
    const right = Buffer.from(bytes).toString("base64");
    return right.slice(0, at) + more + right.slice(at + less);
  });

const frame = (type: string, data: fc.Arbitrary<unknown>) =>
  fc.record({
    type: nearly(fc.constant(type)),
    timestamp: nearly(number),
    message_id: nearly(fc.oneof(line, number)),
    data,
  });
const message = nearly(
  fc.oneof(
    frame("session_settings", fc.option(settings, { nil: undefined })),
    frame("audio_input", fc.oneof(part({ audio, chunk_id: fc.oneof(line, number) }), part({ audio }))),
    frame("keep_alive", fc.option(anything, { nil: undefined })),
  ),
);

test("property: the document accepts exactly the client messages that the server accepts", () => {
  const checks = ["session_settings", "audio_input", "keep_alive"].map(checkOf);
  const seen = { right: 0, wrong: 0 };
  fc.assert(
    fc.property(message, (value) => {
      const sent = JSON.stringify(value);
      const isTaken = parseClientMessage(sent).ok !== undefined;
      seen[isTaken ? "right" : "wrong"] += 1;
      expect(
        checks.some((check) => check(JSON.parse(sent))),
        sent,
      ).toBe(isTaken);
    }),
    { numRuns: 2_000 },
  );
  // The comparison is only useful with enough messages of both kinds.
  expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(200);
});

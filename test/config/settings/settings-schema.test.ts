import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deepMerge } from "../../../src/shared/deep-merge.ts";
import { DEFAULT_SETTINGS } from "../../../src/config/settings/session-settings.ts";
import {
  DEFAULT_SESSION_SETTINGS,
  decodeSettings,
  encodeSettings,
} from "../../../src/config/settings/settings-form.ts";
import {
  parseSettingsPatch,
  sessionSettingsSchema,
  type SessionSettings,
  type SessionSettingsPatch,
} from "../../../src/config/settings/settings-schema.ts";

test("the defaults are those of the interface and are valid", () => {
  expect(sessionSettingsSchema.parse(DEFAULT_SESSION_SETTINGS)).toEqual(DEFAULT_SESSION_SETTINGS);
  expect(DEFAULT_SESSION_SETTINGS).toMatchObject({
    emotion_detection: {
      enabled: true,
      confidence_threshold: 0.7,
      update_frequency: "continuous",
      emotions_to_track: [],
      analysis_window: 3,
    },
    turn_detection: {
      enabled: true,
      mode: "standard",
      silence_threshold: 0.5,
      min_speaking_time: 0.3,
      max_turn_duration: 30,
      speech_threshold: 0.3,
      interrupt_threshold: 0.8,
      natural_pauses: true,
    },
    audio: { sample_rate: 24000, channels: 1, encoding: "linear16" },
  });
});

const fieldsOf = (data: unknown) => parseSettingsPatch(data).errors?.map(({ field }) => field) ?? [];

test("a wrong value is refused with its dotted name, and the ends of each range are accepted", () => {
  const wrong: [field: string, ...values: unknown[]][] = [
    ["emotion_detection.enabled", 1, "true", null],
    ["emotion_detection.confidence_threshold", -0.01, 1.01, "0.5"],
    ["emotion_detection.update_frequency", "always", ""],
    ["emotion_detection.emotions_to_track", "Joy", {}],
    ["emotion_detection.emotions_to_track.0", ["Boredom"], [1]],
    ["emotion_detection.analysis_window", 0, 31],
    ["turn_detection.mode", "fast"],
    ["turn_detection.silence_threshold", 0, 0.09, 10.1],
    ["turn_detection.min_speaking_time", -1, 5.1],
    ["turn_detection.max_turn_duration", 0.5, 121],
    ["turn_detection.speech_threshold", 1.5],
    ["turn_detection.interrupt_threshold", -1],
    ["turn_detection.natural_pauses", 0],
    ["turn_detection.background_noise_adaptation", "on"],
    ["turn_detection.speaking_rate_adaptation", null],
    ["turn_detection.context_awareness", true, "on"],
    ["turn_detection.context_awareness.user_preferences", "x".repeat(1_001), "two\nlines"],
    ["audio.sample_rate", 16000, "24000"],
    ["audio.channels", 2],
    ["audio.encoding", "opus", "LINEAR16"],
    ["response_style.tone", "x".repeat(201), {}, "a\u0000b"],
    ["audio", [], 3],
  ];
  for (const [field, ...values] of wrong) {
    for (const value of values) {
      const path = field.replace(/\.0$/, "").split(".");
      const data = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      expect([value, fieldsOf(data)]).toEqual([value, [field]]);
    }
  }
  const edges = {
    silence_threshold: 0.1,
    min_speaking_time: 0,
    max_turn_duration: 120,
    speech_threshold: 0,
    interrupt_threshold: 1,
  };
  expect(parseSettingsPatch({ turn_detection: edges }).ok).toEqual({ turn_detection: edges });
  expect(fieldsOf([])).toEqual([""]);
  expect(fieldsOf("x")).toEqual([""]);
});

test("unknown fields are dropped at each level, __proto__ and constructor included", () => {
  const data: unknown = JSON.parse(
    '{"a":1,"__proto__":{"audio":1},"turn_detection":{"b":1,"constructor":2,"context_awareness":{"enabled":true,"c":1}}}',
  );
  expect(parseSettingsPatch(data).ok).toEqual({ turn_detection: { context_awareness: { enabled: true } } });
});

test("emotion names of both lists match in any case, and a number in response_style becomes text", () => {
  const { ok } = parseSettingsPatch({
    emotion_detection: { emotions_to_track: ["Joy", "neutral", "CALMNESS"] },
    response_style: { tone: "warm", empathy_level: 0.8 },
  });
  expect(ok).toEqual({
    emotion_detection: { emotions_to_track: ["joy", "neutral", "calmness"] },
    response_style: { tone: "warm", empathy_level: "0.8" },
  });
});

test("merge updates single fields, replaces arrays and does not change its arguments", () => {
  const first = deepMerge(DEFAULT_SESSION_SETTINGS, {
    emotion_detection: { emotions_to_track: ["joy", "anger"] },
    turn_detection: { context_awareness: { enabled: true, conversation_style: "brief" } },
    response_style: { tone: "warm" },
  });
  const second = deepMerge(first, {
    emotion_detection: { emotions_to_track: ["fear"] },
    turn_detection: { context_awareness: { enabled: false } },
    response_style: { explanation_detail: "short" },
  });
  expect(second.emotion_detection).toEqual({
    ...DEFAULT_SESSION_SETTINGS.emotion_detection,
    emotions_to_track: ["fear"],
  });
  expect(second.turn_detection.context_awareness).toEqual({
    enabled: false,
    conversation_style: "brief",
    user_preferences: "",
  });
  expect(second.response_style).toEqual({ tone: "warm", explanation_detail: "short" });
  expect(first.emotion_detection.emotions_to_track).toEqual(["joy", "anger"]);
  expect(DEFAULT_SESSION_SETTINGS.response_style).toEqual({});
});

const patches: fc.Arbitrary<SessionSettingsPatch> = fc
  .record(
    {
      emotion_detection: fc.record(
        {
          enabled: fc.boolean(),
          emotions_to_track: fc.array(fc.constantFrom("joy" as const, "fear" as const), { maxLength: 3 }),
        },
        { requiredKeys: [] },
      ),
      turn_detection: fc.record(
        { silence_threshold: fc.constantFrom(0.2, 0.9), context_awareness: fc.record({ enabled: fc.boolean() }) },
        { requiredKeys: [] },
      ),
      response_style: fc.record({ tone: fc.constantFrom("a", "b") }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
  .map((patch) => structuredClone(patch));

test("property: settings stay valid after any patches, and a repeated patch changes nothing", () => {
  fc.assert(
    fc.property(fc.array(patches, { maxLength: 5 }), patches, (earlier, last) => {
      const before = earlier.reduce<SessionSettings>(
        (current, patch) => deepMerge(current, patch),
        DEFAULT_SESSION_SETTINGS,
      );
      const once = deepMerge(before, last);
      expect(sessionSettingsSchema.parse(once)).toEqual(once);
      expect(deepMerge(once, last)).toEqual(once);
      expect(once).toMatchObject(last);
    }),
  );
});

/** A number as a client writes it. */
const decimal = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => Number(value.toPrecision(15)));

test("settings have the client's values after conversion to the domain and back", () => {
  const change = fc.record({
    turn_detection: fc.record({
      silence_threshold: decimal(0.1, 10),
      min_speaking_time: decimal(0, 5),
      max_turn_duration: decimal(1, 120),
      speech_threshold: fc.double({ min: 0, max: 1, noNaN: true }),
      mode: fc.constantFrom("standard" as const, "conservative" as const),
      context_awareness: fc.record({ enabled: fc.boolean(), user_preferences: fc.string() }),
    }),
    emotion_detection: fc.record({
      analysis_window: decimal(0.5, 30),
      update_frequency: fc.constantFrom("continuous" as const, "on_turn_complete" as const, "interval" as const),
      emotions_to_track: fc.array(fc.constantFrom("neutral" as const, "calmness" as const)),
    }),
    response_style: fc.record({ tone: fc.string(), empathy_level: fc.string() }),
  });
  fc.assert(
    fc.property(change, (patch) => {
      const inForce = deepMerge(DEFAULT_SETTINGS, decodeSettings(patch));
      expect(encodeSettings(inForce)).toEqual(deepMerge(DEFAULT_SESSION_SETTINGS, patch));
    }),
  );
});

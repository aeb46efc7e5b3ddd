import { MODEL_HZ } from "../../../src/audio/format.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EmotionPolicy, type AudioSpan } from "../../../src/conversation/ear/emotion-policy.ts";
import { DEFAULT_SETTINGS, type EmotionSettings } from "../../../src/config/settings/session-settings.ts";

const FRAME = 512;
const MODEL = { minSeconds: 1, maxSeconds: 4 };

const settings = (patch: Partial<EmotionSettings>): EmotionSettings => ({
  ...DEFAULT_SETTINGS.emotionDetection,
  ...patch,
});

interface Look extends AudioSpan {
  readonly at: number;
}

/** Runs frames through the policy. `speech` says whether the caller speaks at a given second. */
function run(seconds: number, isSpeech: (second: number) => boolean, chosen: EmotionSettings): Look[] {
  const policy = new EmotionPolicy(MODEL_HZ, MODEL);
  const looks: Look[] = [];
  for (let end = FRAME; end <= seconds * MODEL_HZ; end += FRAME) {
    const span = policy.due(end, isSpeech((end - FRAME) / MODEL_HZ), chosen);
    if (span !== undefined) looks.push({ ...span, at: end });
  }
  return looks;
}

const between = (from: number, to: number) => (second: number) => second >= from && second < to;

test("continuous: classifies the last window of speech every half second, from the model's shortest clip on", () => {
  const looks = run(10, between(2, 8), settings({ windowMs: 3000 }));
  expect(looks[0]!.at / MODEL_HZ).toBeCloseTo(3, 1);
  for (let i = 1; i < looks.length; i++) {
    const gap = (looks[i]!.at - looks[i - 1]!.at) / MODEL_HZ;
    expect(gap).toBeGreaterThanOrEqual(0.5);
    expect(gap).toBeLessThan(0.5 + FRAME / MODEL_HZ + 1e-9);
  }
  expect(looks.at(-1)!.at / MODEL_HZ).toBeGreaterThan(7.4);
  for (const { fromSamples, toSamples, at } of looks) {
    expect(toSamples).toBe(at);
    expect(fromSamples / MODEL_HZ).toBeGreaterThan(2 - FRAME / MODEL_HZ);
    expect(toSamples - fromSamples).toBeLessThanOrEqual(3 * MODEL_HZ);
  }
  const { fromSamples, toSamples } = looks.at(-1)!;
  expect(toSamples - fromSamples).toBe(3 * MODEL_HZ);
});

test("continuous: starts again with the speech after a pause", () => {
  const looks = run(10, (second) => between(1, 3)(second) || between(5, 7)(second), settings({}));
  const second = looks.filter(({ at }) => at > 5 * MODEL_HZ);
  expect(second[0]!.at / MODEL_HZ).toBeCloseTo(6, 1);
  expect(second[0]!.fromSamples / MODEL_HZ).toBeCloseTo(5, 1);
});

test("interval: classifies once for each window with enough speech", () => {
  const looks = run(
    16,
    (second) => between(1, 5)(second) || between(7, 7.5)(second) || between(12, 16)(second),
    settings({ updates: "interval", windowMs: 3000 }),
  );
  expect(looks.map(({ at }) => Math.round(at / MODEL_HZ))).toEqual([3, 6, 15]);
  // The classification at 6 s used the speech from 3 s to 5 s.
  expect(looks[1]!.fromSamples / MODEL_HZ).toBeCloseTo(3, 1);
  expect(looks[1]!.toSamples / MODEL_HZ).toBeCloseTo(5, 1);
});

test("interval: does not classify a window with little speech at both ends", () => {
  const spoken = (second: number) => between(0.3, 0.6)(second) || between(2.7, 3.05)(second) || between(5, 5.8)(second);
  const looks = run(7, spoken, settings({ updates: "interval", windowMs: 3000 }));
  expect(looks.map(({ at }) => Math.round(at / MODEL_HZ))).toEqual([6]);
});

test("interval: classifies although the window is shorter than the model's shortest clip", () => {
  const looks = run(6.5, between(1.5, 6.5), settings({ updates: "interval", windowMs: 500 }));
  expect(looks.map(({ at }) => Math.round(at / MODEL_HZ))).toEqual([3, 4, 5, 6]);
});

test("on_turn_complete: classifies the last window at the end of the turn only", () => {
  const chosen = settings({ updates: "on-turn-end", windowMs: 3000 });
  expect(run(10, () => true, chosen)).toEqual([]);
  const policy = new EmotionPolicy(MODEL_HZ, MODEL);
  expect(policy.turnEnd(2 * MODEL_HZ, 9 * MODEL_HZ, chosen)).toEqual({
    fromSamples: 6 * MODEL_HZ,
    toSamples: 9 * MODEL_HZ,
  });
  expect(policy.turnEnd(2 * MODEL_HZ, 4 * MODEL_HZ, chosen)).toEqual({
    fromSamples: 2 * MODEL_HZ,
    toSamples: 4 * MODEL_HZ,
  });
  expect(policy.turnEnd(2 * MODEL_HZ, 2.9 * MODEL_HZ, chosen)).toBeUndefined();
  expect(policy.turnEnd(2 * MODEL_HZ, 9 * MODEL_HZ, settings({}))).toBeUndefined();
});

const onTurn = (windowMs: number): EmotionSettings => settings({ updates: "on-turn-end", windowMs });

test("the window stays within the model's limits", () => {
  const policy = new EmotionPolicy(MODEL_HZ, MODEL);
  expect(policy.turnEnd(0, 10 * MODEL_HZ, onTurn(500))).toEqual({
    fromSamples: 9 * MODEL_HZ,
    toSamples: 10 * MODEL_HZ,
  });
  expect(policy.turnEnd(0, 10 * MODEL_HZ, onTurn(30_000))).toEqual({
    fromSamples: 6 * MODEL_HZ,
    toSamples: 10 * MODEL_HZ,
  });
});

test.each(["continuous", "interval", "on-turn-end"] as const)(
  "%s: classifies nothing when emotion detection is disabled",
  (updates) => {
    const off = settings({ enabled: false, updates });
    expect(run(10, () => true, off)).toEqual([]);
    expect(new EmotionPolicy(MODEL_HZ, MODEL).turnEnd(0, 10 * MODEL_HZ, off)).toBeUndefined();
  },
);

test("property: spans keep their limits of length and rate and lie in the past, for any speech and settings", () => {
  const change = fc.record({
    frames: fc.integer({ min: 1, max: 120 }),
    speaking: fc.boolean(),
    enabled: fc.boolean(),
    updates: fc.constantFrom("continuous" as const, "interval" as const, "on-turn-end" as const),
    windowMs: fc.double({ min: 500, max: 30_000, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const policy = new EmotionPolicy(MODEL_HZ, MODEL);
      let now = 0;
      let last = Number.NEGATIVE_INFINITY;
      for (const { frames, speaking, ...patch } of changes) {
        for (let i = 0; i < frames; i++) {
          now += FRAME;
          const span = policy.due(now, speaking, settings(patch));
          if (span === undefined) continue;
          expect(patch.enabled).toBe(true);
          expect(span.toSamples).toBeLessThanOrEqual(now);
          expect(span.fromSamples).toBeGreaterThanOrEqual(0);
          expect(span.toSamples - span.fromSamples).toBeGreaterThanOrEqual(MODEL.minSeconds * MODEL_HZ);
          expect(span.toSamples - span.fromSamples).toBeLessThanOrEqual(MODEL.maxSeconds * MODEL_HZ);
          expect(now - last).toBeGreaterThanOrEqual(0.5 * MODEL_HZ);
          last = now;
        }
      }
    }),
  );
});

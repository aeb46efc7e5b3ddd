import { beforeAll, expect, test } from "vitest";
import { rmsDbfs } from "../../../src/audio/level.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { loadDeepFilter } from "../../../src/engines/enhancement/deep-filter.ts";
import type { NoiseSuppressionEngine, NoiseSuppressor } from "../../../src/engines/enhancement/noise-suppressor.ts";
import { seededRandom } from "../../../src/simulated-callers/random.ts";
import { clip16k } from "../stt/support.ts";

const MODEL = "models/starter/enhancement/deep-filter.onnx";
const FRAME = 480;

let engine: NoiseSuppressionEngine;
beforeAll(async () => {
  engine = await loadDeepFilter(MODEL);
});

/** The stream after suppression, with the delay removed. */
function suppressed(suppressor: NoiseSuppressor, samples: Float32Array): Float32Array {
  const { frameSamples, delaySamples } = suppressor;
  const out = new Float32Array(Math.ceil((samples.length + delaySamples) / frameSamples) * frameSamples);
  out.set(samples);
  for (let at = 0; at < out.length; at += frameSamples) suppressor.process(out.subarray(at, at + frameSamples));
  return out.subarray(delaySamples, delaySamples + samples.length);
}

/** Level of the part of `sound` that is `voice`, in dB over the rest. */
function voiceOverRestDb(sound: Float32Array, voice: Float32Array): number {
  const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  const gain = product(sound, voice) / product(voice, voice);
  const kept = voice.map((value) => gain * value);
  return rmsDbfs(kept) - rmsDbfs(sound.map((value, at) => value - kept[at]!));
}

const random = seededRandom(5);
const HISS = Float32Array.from({ length: 5 * 48_000 }, () => 0.02 * (2 * random() - 1));
const VOICE = resampleAll(clip16k("flite-lights.wav"), 16_000, 48_000);
const MIXED = VOICE.map((value, at) => value + 4 * HISS[at % HISS.length]!);

test("takes noise from a voice", () => {
  const before = voiceOverRestDb(MIXED, VOICE);
  const after = voiceOverRestDb(suppressed(engine.open(), MIXED), VOICE);
  expect(before).toBeLessThan(10);
  expect(after).toBeGreaterThan(before + 7);
});

test("lowers steady hiss and leaves a voice and silence", () => {
  const quieted = suppressed(engine.open(), HISS).subarray(3 * 48_000);
  expect(rmsDbfs(quieted)).toBeLessThan(rmsDbfs(HISS) - 15);
  const kept = suppressed(engine.open(), VOICE);
  expect(Math.abs(rmsDbfs(kept) - rmsDbfs(VOICE))).toBeLessThan(1.5);
  const nothing = suppressed(engine.open(), new Float32Array(48_000));
  expect(Math.max(...nothing.map(Math.abs))).toBeLessThan(1e-6);
});

test("a sample comes exactly `delaySamples` after its input", () => {
  const kept = suppressed(engine.open(), VOICE);
  const shifted = (by: number) =>
    voiceOverRestDb(kept.subarray(FRAME + by, kept.length - FRAME + by), VOICE.subarray(FRAME, VOICE.length - FRAME));
  const [early, exact, late] = [-1, 0, 1].map(shifted);
  expect(exact).toBeGreaterThan(Math.max(early!, late!) + 1);
});

test("callers do not hear each other", () => {
  const expected = suppressed(engine.open(), MIXED);
  const [one, other] = [engine.open(), engine.open()];
  const found = MIXED.slice();
  for (let at = 0; at + FRAME <= found.length; at += FRAME) {
    one.process(found.subarray(at, at + FRAME));
    other.process(HISS.slice(at % 48_000, (at % 48_000) + FRAME));
  }
  expect(found.subarray(one.delaySamples, 48_000)).toEqual(expected.subarray(0, 48_000 - one.delaySamples));
});

test("a closed suppressor is not used, and closing twice is harmless", () => {
  const suppressor = engine.open();
  suppressor.close();
  suppressor.close();
  expect(() => suppressor.process(new Float32Array(FRAME))).toThrow("closed");
});

test("a frame of another length is refused", () => {
  expect(() => engine.open().process(new Float32Array(FRAME + 1))).toThrow(RangeError);
});

test("a missing file and another model fail at the start", async () => {
  await expect(loadDeepFilter("models/none.onnx")).rejects.toMatchObject({ code: "MODEL_MISSING" });
  await expect(loadDeepFilter("models/starter/speaker/speaker.onnx")).rejects.toMatchObject({ code: "MODEL_BROKEN" });
});

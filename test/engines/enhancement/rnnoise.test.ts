import { beforeAll, expect, test } from "vitest";
import { rmsDbfs } from "../../../src/audio/level.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import type { NoiseSuppressionEngine, NoiseSuppressor } from "../../../src/engines/enhancement/noise-suppressor.ts";
import { loadRnnoise } from "../../../src/engines/enhancement/rnnoise.ts";
import { seededRandom } from "../../../src/simulated-callers/random.ts";
import { clip16k } from "../stt/support.ts";

let engine: NoiseSuppressionEngine;
beforeAll(async () => {
  engine = await loadRnnoise();
});

/** The stream after suppression, with the delay removed. */
function suppressed(suppressor: NoiseSuppressor, samples: Float32Array): Float32Array {
  const { frameSamples, delaySamples } = suppressor;
  const out = new Float32Array(Math.ceil((samples.length + delaySamples) / frameSamples) * frameSamples);
  out.set(samples);
  for (let at = 0; at < out.length; at += frameSamples) suppressor.process(out.subarray(at, at + frameSamples));
  return out.subarray(delaySamples);
}

const random = seededRandom(5);
const HISS = Float32Array.from({ length: 5 * 48_000 }, () => 0.02 * (2 * random() - 1));
const VOICE = resampleAll(clip16k("flite-lights.wav"), 16_000, 48_000);

test("lowers steady hiss and leaves a voice", () => {
  const [noise, voice] = [engine.open(), engine.open()];
  const quieted = suppressed(noise, HISS).subarray(3 * 48_000, 4.9 * 48_000);
  expect(rmsDbfs(quieted)).toBeLessThan(rmsDbfs(HISS) - 4);
  const kept = suppressed(voice, VOICE);
  expect(Math.abs(rmsDbfs(kept.subarray(0, VOICE.length)) - rmsDbfs(VOICE))).toBeLessThan(1.5);
  noise.close();
  voice.close();
});

test("callers do not hear each other", () => {
  const alone = engine.open();
  const expected = suppressed(alone, VOICE);
  const [one, other] = [engine.open(), engine.open()];
  const found = VOICE.slice();
  for (let at = 0; at + 480 <= found.length; at += 480) {
    one.process(found.subarray(at, at + 480));
    other.process(HISS.slice(at % 48_000, (at % 48_000) + 480));
  }
  expect(found.subarray(480, 48_000)).toEqual(expected.subarray(0, 48_000 - 480));
  for (const suppressor of [alone, one, other]) suppressor.close();
});

test("a closed suppressor is not used, and closing twice is harmless", () => {
  const suppressor = engine.open();
  suppressor.close();
  suppressor.close();
  expect(() => suppressor.process(new Float32Array(480))).toThrow("closed");
});

test("many callers at once", () => {
  const opened = Array.from({ length: 2_000 }, () => engine.open());
  const frame = new Float32Array(480).fill(0.1);
  for (const suppressor of opened.slice(-3)) suppressor.process(frame);
  expect(frame.every(Number.isFinite)).toBe(true);
  for (const suppressor of opened) suppressor.close();
});

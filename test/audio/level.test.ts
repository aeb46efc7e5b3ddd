import { MODEL_HZ } from "../../src/audio/format.ts";
import { expect, test } from "vitest";
import { LevelMeter, peak, rmsDbfs, SILENCE_DBFS } from "../../src/audio/level.ts";
import { noise, sine } from "./signals.ts";

const FRAME = 512;

function feed(meter: LevelMeter, samples: Float32Array): void {
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) meter.update(samples.subarray(at, at + FRAME));
}

/** Uniform noise with this level. */
const noiseAt = (dbfs: number, seconds: number): Float32Array =>
  noise(seconds * MODEL_HZ, Math.sqrt(3) * 10 ** (dbfs / 20));

test("known signals have the expected levels", () => {
  expect(rmsDbfs(sine(1000, MODEL_HZ, MODEL_HZ, 1))).toBeCloseTo(-3.01, 1);
  expect(rmsDbfs(new Float32Array(10).fill(-1))).toBeCloseTo(0, 6);
  expect(rmsDbfs(new Float32Array(10))).toBe(SILENCE_DBFS);
  expect(rmsDbfs(new Float32Array(0))).toBe(SILENCE_DBFS);
  expect(peak(new Float32Array([0.1, -0.75, 0.5]))).toBe(0.75);
});

test("the noise floor follows the room, not the speech", () => {
  const meter = new LevelMeter(FRAME / MODEL_HZ);
  feed(meter, noiseAt(-50, 3));
  expect(Math.abs(meter.noiseFloorDbfs + 50)).toBeLessThan(1.5);
  expect(meter.activityLevel).toBeLessThan(0.1);

  // Bursts of 0.8 s with pauses of 0.4 s, like words.
  for (let i = 0; i < 8; i++) {
    feed(meter, noiseAt(-22, 0.8));
    expect(meter.activityLevel).toBeGreaterThan(0.7);
    feed(meter, noiseAt(-50, 0.4));
  }
  expect(Math.abs(meter.noiseFloorDbfs + 50)).toBeLessThan(3);
});

test("a loud word in a quiet room is forgotten within two frames", () => {
  const meter = new LevelMeter(FRAME / MODEL_HZ);
  feed(meter, noiseAt(-65, 1));
  feed(meter, noiseAt(-15, 1));
  feed(meter, noiseAt(-65, (2 * FRAME) / MODEL_HZ));
  expect(Math.abs(meter.levelDbfs + 65)).toBeLessThan(1);
});

test("the noise floor follows a louder room within 4 s and a quieter room at once", () => {
  const meter = new LevelMeter(FRAME / MODEL_HZ);
  feed(meter, noiseAt(-70, 3));
  feed(meter, noiseAt(-35, 4));
  expect(Math.abs(meter.noiseFloorDbfs + 35)).toBeLessThan(1.5);
  feed(meter, noiseAt(-70, 1));
  expect(meter.noiseFloorDbfs).toBeLessThan(-65);
});

const noiseLevelOf = (dbfs: number): number => {
  const meter = new LevelMeter(FRAME / MODEL_HZ);
  feed(meter, noiseAt(dbfs, 4));
  return meter.backgroundNoiseLevel;
};

test("the background is noisy from -40 dBFS", () => {
  expect(noiseLevelOf(-90)).toBe(0);
  expect(noiseLevelOf(-44)).toBeLessThan(0.7);
  expect(noiseLevelOf(-36)).toBeGreaterThan(0.7);
  expect(noiseLevelOf(-10)).toBe(1);
});

test("digital silence is neither active nor noisy, and neither is a level without input", () => {
  const meter = new LevelMeter(FRAME / MODEL_HZ);
  expect([meter.activityLevel, meter.backgroundNoiseLevel]).toEqual([0, 0]);
  feed(meter, new Float32Array(MODEL_HZ));
  expect([meter.activityLevel, meter.backgroundNoiseLevel]).toEqual([0, 0]);
  // Quiet noise after digital silence is not speech.
  feed(meter, noiseAt(-72, 1));
  expect(meter.activityLevel).toBe(0);
});

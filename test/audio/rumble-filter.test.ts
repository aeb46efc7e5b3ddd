import { expect, test } from "vitest";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { RumbleFilter } from "../../src/audio/rumble-filter.ts";
import { noise, rmsOf, sine } from "./signals.ts";

const SECOND = MODEL_HZ;

/** Gain in dB, from the second second on. */
function gainDb(samples: Float32Array): number {
  const before = rmsOf(samples.subarray(SECOND));
  return 20 * Math.log10(rmsOf(new RumbleFilter(MODEL_HZ).process(samples.slice()).subarray(SECOND)) / before);
}

test("a DC offset is gone after a second", () => {
  const offset = new RumbleFilter(MODEL_HZ).process(new Float32Array(2 * SECOND).fill(0.1));
  expect(rmsOf(offset.subarray(SECOND))).toBeLessThan(1e-6);
});

test.each([
  [20, -50],
  [50, -20],
  [60, -13],
])("%d Hz is at %d dB or lower", (hz, mostDb) => {
  expect(gainDb(sine(hz, MODEL_HZ, 3 * SECOND))).toBeLessThan(mostDb);
});

test.each([120, 200, 1000, 7000])("%d Hz stays within 1.5 dB", (hz) => {
  expect(Math.abs(gainDb(sine(hz, MODEL_HZ, 3 * SECOND)))).toBeLessThan(1.5);
});

test("the cut of the stream does not matter", () => {
  const samples = noise(SECOND);
  const whole = new RumbleFilter(MODEL_HZ).process(samples.slice());
  const pieces = new RumbleFilter(MODEL_HZ);
  const parts = [samples.slice(0, 1), samples.slice(1, 7_000), samples.slice(7_000)];
  expect(parts.flatMap((part) => [...pieces.process(part)])).toEqual([...whole]);
});

test("silence after sound becomes exact silence", () => {
  const filter = new RumbleFilter(MODEL_HZ);
  filter.process(noise(SECOND));
  for (let chunk = 0; chunk < 60; chunk++) filter.process(new Float32Array(SECOND / 10));
  expect(filter.process(new Float32Array(SECOND / 10)).every((sample) => sample === 0)).toBe(true);
});

import { expect, test } from "vitest";
import { LowBandEqualizer } from "../../src/audio/low-band-equalizer.ts";
import { noise, sine } from "./signals.ts";

const HZ = 24_000;

/** Harmonics of 200 Hz; the first one, which a telephone line cuts, at the given level. */
function voice(firstDb: number, seconds = 3): Int16Array {
  const samples = new Float32Array(seconds * HZ);
  for (const [harmonic, level] of [10 ** (firstDb / 20), 0.5, 0.4, 0.3].entries())
    for (const [at, sample] of sine(200 * (harmonic + 1), HZ, samples.length, 0.2 * level).entries())
      samples[at]! += sample;
  return Int16Array.from(samples, (sample) => sample * 32_767);
}

/** Amplitude at `hz` in the last second. */
function amplitude(pcm: Int16Array, hz: number): number {
  const part = pcm.subarray(-HZ);
  let [real, imaginary] = [0, 0];
  for (const [at, sample] of part.entries()) {
    real += sample * Math.cos((2 * Math.PI * hz * at) / HZ);
    imaginary += sample * Math.sin((2 * Math.PI * hz * at) / HZ);
  }
  return Math.hypot(real, imaginary);
}

test("low frequencies that a line has cut are raised, and the others stay", () => {
  const cut = voice(-20);
  const equalizer = new LowBandEqualizer(HZ);
  const restored = equalizer.process(cut);
  expect(equalizer.gainDb).toBeGreaterThan(8);
  expect(amplitude(restored, 200) / amplitude(cut, 200)).toBeGreaterThan(2);
  expect(amplitude(restored, 800) / amplitude(cut, 800)).toBeCloseTo(1, 0);
});

test("a voice with its low frequencies stays as it is", () => {
  const whole = voice(0);
  const equalizer = new LowBandEqualizer(HZ);
  expect(equalizer.process(whole)).toEqual(whole);
  expect(equalizer.gainDb).toBe(0);
});

test("silence and faint noise change nothing, and the cut of the stream does not matter", () => {
  const equalizer = new LowBandEqualizer(HZ);
  const faint = Int16Array.from(noise(HZ, 0.001), (sample) => sample * 32_767);
  expect(equalizer.process(faint)).toEqual(faint);
  const cut = voice(-20);
  const whole = new LowBandEqualizer(HZ).process(cut);
  const pieces = new LowBandEqualizer(HZ);
  const parts = [cut.subarray(0, 777), cut.subarray(777, 30_000), cut.subarray(30_000)];
  expect(parts.flatMap((part) => [...pieces.process(part)])).toEqual([...whole]);
});

test("loud samples are clamped", () => {
  const square = Int16Array.from({ length: 2 * HZ }, (_, at) => (at % 40 < 20 ? 32_767 : -32_768));
  const out = new LowBandEqualizer(HZ).process(square);
  expect(Math.max(...out)).toBeLessThanOrEqual(32_767);
});

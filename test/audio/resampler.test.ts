import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resampleAll, Resampler } from "../../src/audio/resampler.ts";
import { noise, rmsOf, sine, toneResidueDb } from "./signals.ts";

const RATES: readonly (readonly [number, number])[] = [
  [24000, 16000],
  [16000, 24000],
  [22050, 24000],
  [48000, 24000],
  [44100, 16000],
  [8000, 24000],
  [8000, 16000],
  [24000, 8000],
];

/** Resamples a stream in chunks of the given lengths, repeated. */
function stream(input: Float32Array, from: number, to: number, chunks: readonly number[]): Float32Array {
  const resampler = new Resampler(from, to);
  const parts: Float32Array[] = [];
  for (let at = 0, i = 0; at < input.length; i++) {
    const length = chunks[i % chunks.length]!;
    parts.push(resampler.process(input.subarray(at, at + length)).slice());
    at += length;
  }
  parts.push(resampler.flush().slice());
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The middle, without the transients at both ends. */
const middle = (samples: Float32Array): Float32Array => samples.subarray(samples.length * 0.2, samples.length * 0.8);

test("the chunk size does not change the output", () => {
  const input = noise(4000);
  fc.assert(
    fc.property(
      fc.constantFrom(...RATES),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 }),
      ([from, to], chunks) => {
        expect(stream(input, from, to, chunks)).toEqual(resampleAll(input, from, to));
      },
    ),
    { numRuns: 60 },
  );
});

describe.each(RATES)("%i -> %i", (from, to) => {
  const nyquist = Math.min(from, to) / 2;

  test("length, alignment and the gain at 0 Hz are exact", () => {
    for (const length of [0, 1, 2, 479, 480, 481, 10007]) {
      expect(resampleAll(new Float32Array(length), from, to).length).toBe(Math.ceil((length * to) / from));
    }
    const constant = middle(resampleAll(new Float32Array(from / 4).fill(0.5), from, to));
    expect(Math.max(...constant)).toBeLessThan(0.50001);
    expect(Math.min(...constant)).toBeGreaterThan(0.49999);
  });

  test("the pass band has a gain within 0.01 dB, and everything else is below -70 dB", () => {
    for (const part of [0.02, 0.25, 0.5, 0.75, 0.87]) {
      const hz = Math.round(part * nyquist);
      const out = resampleAll(sine(hz, from, from), from, to);
      // The reference has the input's phase, so a shift by a hundredth of a sample fails.
      const reference = sine(hz, to, to);
      const error = middle(out).map((sample, i) => sample - middle(reference)[i]!);
      expect(20 * Math.log10(rmsOf(error) / rmsOf(middle(reference)))).toBeLessThan(-59);
      expect(toneResidueDb(middle(out), hz, to)).toBeLessThan(-70);
    }
  });
});

test.each(RATES.filter(([from, to]) => from > to))(
  "%i -> %i: frequencies above the new rate's limit leave no alias above -70 dB",
  (from, to) => {
    const nyquist = to / 2;
    for (let hz = nyquist * 1.001; hz < from / 2; hz += (from / 2 - nyquist) / 7) {
      const input = sine(hz, from, from);
      expect(20 * Math.log10(rmsOf(middle(resampleAll(input, from, to))) / rmsOf(middle(input)))).toBeLessThan(-70);
    }
  },
);

test("an output sample is ready after delaySamples more input samples", () => {
  const resampler = new Resampler(24000, 16000);
  expect(resampler.process(new Float32Array(resampler.delaySamples)).length).toBe(0);
  expect(resampler.process(new Float32Array(1)).length).toBe(1);
  expect(resampler.delaySamples / 24000).toBeLessThan(0.005);
});

test("flush resets the resampler", () => {
  const input = noise(1000);
  const resampler = new Resampler(24000, 16000);
  const first = [...resampler.process(input), ...resampler.flush()];
  const second = [...resampler.process(input), ...resampler.flush()];
  expect(second).toEqual(first);
});

test("equal rates pass through", () => {
  const input = noise(100);
  expect(resampleAll(input, 24000, 24000)).toEqual(input);
});

test("a sample rate that is not an integer is refused", () => {
  expect(() => new Resampler(0, 16000)).toThrow(RangeError);
  expect(() => new Resampler(24000, 16000.5)).toThrow(RangeError);
  expect(() => new Resampler(Number.NaN, 16000)).toThrow(RangeError);
});

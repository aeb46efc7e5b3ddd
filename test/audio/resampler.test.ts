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

/** As a stream, in chunks of the given lengths, over and over. */
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

/** Away from the ends, where the signal starts and stops. */
const middle = (samples: Float32Array): Float32Array => samples.subarray(samples.length * 0.2, samples.length * 0.8);

test("no chunking changes a bit", () => {
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

  test("length, alignment and gain at 0 Hz", () => {
    for (const length of [0, 1, 2, 479, 480, 481, 10007]) {
      expect(resampleAll(new Float32Array(length), from, to).length).toBe(Math.ceil((length * to) / from));
    }
    const constant = middle(resampleAll(new Float32Array(from / 4).fill(0.5), from, to));
    expect(Math.max(...constant)).toBeLessThan(0.50001);
    expect(Math.min(...constant)).toBeGreaterThan(0.49999);
  });

  test("the pass band comes through in place: gain within 0.01 dB, all else 70 dB down", () => {
    for (const part of [0.02, 0.25, 0.5, 0.75, 0.87]) {
      const hz = Math.round(part * nyquist);
      const out = resampleAll(sine(hz, from, from), from, to);
      // The reference has the phase the input had: a shift by a hundredth of a sample would fail this.
      const reference = sine(hz, to, to);
      const error = middle(out).map((sample, i) => sample - middle(reference)[i]!);
      expect(20 * Math.log10(rmsOf(error) / rmsOf(middle(reference)))).toBeLessThan(-59);
      expect(toneResidueDb(middle(out), hz, to)).toBeLessThan(-70);
    }
  });
});

test.each(RATES.filter(([from, to]) => from > to))(
  "%i -> %i: what the new rate cannot hold is gone, no alias above -70 dB",
  (from, to) => {
    const nyquist = to / 2;
    for (let hz = nyquist * 1.001; hz < from / 2; hz += (from / 2 - nyquist) / 7) {
      const input = sine(hz, from, from);
      expect(20 * Math.log10(rmsOf(middle(resampleAll(input, from, to))) / rmsOf(middle(input)))).toBeLessThan(-70);
    }
  },
);

test("an output is ready once delaySamples more of input is known", () => {
  const resampler = new Resampler(24000, 16000);
  expect(resampler.process(new Float32Array(resampler.delaySamples)).length).toBe(0);
  expect(resampler.process(new Float32Array(1)).length).toBe(1);
  expect(resampler.delaySamples / 24000).toBeLessThan(0.005);
});

test("after flush the resampler is as new", () => {
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

test("rates that are no whole number of Hz are refused", () => {
  expect(() => new Resampler(0, 16000)).toThrow(RangeError);
  expect(() => new Resampler(24000, 16000.5)).toThrow(RangeError);
  expect(() => new Resampler(Number.NaN, 16000)).toThrow(RangeError);
});

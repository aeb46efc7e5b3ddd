import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CALL_HZ } from "../../src/audio/format.ts";
import { bytesPerMs, WireDecoder, WireEncoder, type WireFormat } from "../../src/audio/wire-audio.ts";
import { sine, toneResidueDb } from "./signals.ts";

const FORMATS: readonly WireFormat[] = [
  { encoding: "pcm16", sampleRateHz: 24_000 },
  { encoding: "pcm16", sampleRateHz: 16_000 },
  { encoding: "pcm16", sampleRateHz: 8_000 },
  { encoding: "ulaw", sampleRateHz: 8_000 },
  { encoding: "alaw", sampleRateHz: 8_000 },
];

function join(parts: readonly (Int16Array | Uint8Array)[]): number[] {
  return parts.flatMap((part) => [...part]);
}

function pieces<Whole extends Int16Array | Uint8Array>(whole: Whole, lengths: readonly number[]): Whole[] {
  const parts: Whole[] = [];
  for (let at = 0, n = 0; at < whole.length; n++) {
    const length = lengths[n % lengths.length]!;
    parts.push(whole.slice(at, at + length) as Whole);
    at += length;
  }
  return parts;
}

const tone = Int16Array.from(sine(1000, CALL_HZ, CALL_HZ / 2), (sample) => sample * 32767);
const lengths = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 6 });

test.each(FORMATS)(
  "$encoding at $sampleRateHz Hz: length and tone survive both ways, however they are cut",
  (format) => {
    fc.assert(
      fc.property(lengths, lengths, (out, back) => {
        const encoder = new WireEncoder(format);
        const bytes = Uint8Array.from(join([...pieces(tone, out).map((pcm) => encoder.encode(pcm)), encoder.flush()]));
        expect(bytes.length).toBe(500 * bytesPerMs(format));
        const decoder = new WireDecoder(format);
        const cut = pieces(bytes, back);
        const heard = Float32Array.from(join([...cut.map((part) => decoder.decode(part)), decoder.flush()]));
        expect(heard.length).toBe(tone.length);
        expect(toneResidueDb(heard.subarray(1200, -1200), 1000, CALL_HZ)).toBeLessThan(-35);
      }),
      { numRuns: 12 },
    );
  },
);

test("8 kHz speech waits at most 6 ms for the samples after it", () => {
  const decoder = new WireDecoder({ encoding: "ulaw", sampleRateHz: 8_000 });
  expect(decoder.decode(new Uint8Array(160)).length).toBeGreaterThanOrEqual((20 - 6) * 24);
});

test("half a sample waits for the next bytes", () => {
  const decoder = new WireDecoder({ encoding: "pcm16", sampleRateHz: CALL_HZ });
  expect([...decoder.decode(Uint8Array.of(1, 0, 2))]).toEqual([1]);
  expect([...decoder.decode(Uint8Array.of(0, 3))]).toEqual([2]);
  decoder.forgetHalf();
  expect([...decoder.decode(Uint8Array.of(4, 0))]).toEqual([4]);
});

import { beforeAll, expect, test } from "vitest";
import { resampleAll } from "../../../../src/audio/resampler.ts";
import { SuppressedStream } from "../../../../src/conversation/ear/front-end/suppressed-stream.ts";
import { loadDeepFilter } from "../../../../src/engines/enhancement/deep-filter.ts";
import type { NoiseSuppressionEngine, NoiseSuppressor } from "../../../../src/engines/enhancement/noise-suppressor.ts";
import { clip16k } from "../../../engines/stt/support.ts";

let engine: NoiseSuppressionEngine;
beforeAll(async () => {
  engine = await loadDeepFilter("models/starter/enhancement/deep-filter.onnx");
});

const VOICE = clip16k("flite-lights.wav");
const CALL = resampleAll(VOICE, 16_000, 24_000);

/** Delays frames by one, and changes nothing. */
function delayOnly(): NoiseSuppressor {
  let before = new Float32Array(480);
  return {
    sampleRateHz: 48_000,
    frameSamples: 480,
    delaySamples: 480,
    process: (frame) => {
      const now = frame.slice();
      frame.set(before);
      before = now;
    },
    close: () => undefined,
  };
}

function streamed(suppressor: NoiseSuppressor, firstCallSample: number, chunk: number): SuppressedStream {
  const stream = new SuppressedStream(suppressor, firstCallSample);
  for (let at = firstCallSample; at < CALL.length; at += chunk) stream.push(CALL.subarray(at, at + chunk));
  return stream;
}

test.each([
  [0, 480],
  [0, 2400],
  [1, 481],
  [1000, 77],
  [5002, 20_000],
])("positions are those of the unsuppressed sound: from call sample %i on, chunks of %i", (first, chunk) => {
  const stream = streamed(delayOnly(), first, chunk);
  const from = 20_000;
  const found = new Float32Array(12_000);
  expect(stream.readInto(from, found)).toBe(true);
  const most = found.reduce((worst, sample, at) => Math.max(worst, Math.abs(sample - VOICE[from + at]!)), 0);
  expect(most).toBeLessThan(0.01);
});

test("the model's delay is the declared one", () => {
  const stream = streamed(engine.open(), 0, 480);
  const found = new Float32Array(12_000);
  stream.readInto(20_000, found);
  const likeness = (shift: number) =>
    found.reduce((sum, sample, at) => sum + sample * (VOICE[20_000 + at + shift] ?? 0), 0);
  const shifts = [-3, -2, -1, 0, 1, 2, 3];
  expect(shifts.toSorted((a, b) => likeness(b) - likeness(a))[0]).toBe(0);
  stream.close();
});

test("the stream is at most `delaySamples` behind", () => {
  const stream = new SuppressedStream(engine.open(), 0);
  for (let at = 0; at + 240 <= CALL.length; at += 240) {
    stream.push(CALL.subarray(at, at + 240));
    const behind = ((at + 240) * 2) / 3 - stream.end;
    if (at > 24_000) expect(behind).toBeLessThanOrEqual(stream.delaySamples);
  }
  expect(stream.delaySamples).toBeLessThan(0.05 * 16_000);
  expect(stream.readInto(stream.end - 10, new Float32Array(11))).toBe(false);
  stream.close();
});

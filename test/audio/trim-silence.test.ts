import { MODEL_HZ } from "../../src/audio/format.ts";
import { expect, test } from "vitest";
import { trimSilence } from "../../src/audio/trim-silence.ts";
import { noise, sine } from "./signals.ts";

function clip(leadMs: number, bodyMs: number, tailMs: number, hiss = 0.0005): Float32Array {
  const at = (ms: number): number => (ms * MODEL_HZ) / 1000;
  const samples = noise(at(leadMs + bodyMs + tailMs), hiss);
  samples.set(sine(440, MODEL_HZ, at(bodyMs)), at(leadMs));
  return samples;
}

test("noisy ends are removed except the guard, and the cut ends at zero", () => {
  const trimmed = trimSilence(clip(250, 400, 600), MODEL_HZ);
  expect(Math.abs(trimmed.length - (0.01 + 0.4 + 0.03) * MODEL_HZ)).toBeLessThan(4);
  expect(Math.abs(trimmed[0]!)).toBe(0);
  expect(Math.abs(trimmed.at(-1)!)).toBe(0);
});

test("the samples between the cuts do not change", () => {
  const original = clip(250, 400, 600);
  const trimmed = trimSilence(original, MODEL_HZ);
  const body = sine(440, MODEL_HZ, 0.4 * MODEL_HZ);
  const start = trimmed.findIndex((sample) => Math.abs(sample) > 0.005) - 1;
  expect(trimmed.subarray(start, start + body.length)).toEqual(original.subarray(4000, 4000 + body.length));
});

test("a pause inside the clip stays, and a clip without silence does not change", () => {
  const body = sine(440, MODEL_HZ, 1600);
  const gapped = new Float32Array(8000);
  gapped.set(body);
  gapped.set(body, 6400);
  const whole = trimSilence(gapped, MODEL_HZ);
  expect(Math.abs(whole.length - 8000)).toBeLessThan(4);
  expect(trimSilence(body, MODEL_HZ)).toEqual(body);
});

test("silence trims to nothing", () => {
  expect(trimSilence(new Float32Array(1000), MODEL_HZ).length).toBe(0);
  expect(trimSilence(new Float32Array(0), MODEL_HZ).length).toBe(0);
});

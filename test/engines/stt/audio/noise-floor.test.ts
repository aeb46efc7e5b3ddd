import { expect, test } from "vitest";
import { withNoiseFloor } from "../../../../src/engines/stt/audio/noise-floor.ts";
import { clip16k } from "../support.ts";

const rms = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);

test("a muted stretch gets the same noise at 40 dB below the speech every time", () => {
  const speech = clip16k("flite-time.wav");
  const muted = new Float32Array(speech.length + 16_000);
  muted.set(speech);
  const heard = withNoiseFloor(muted);
  const noise = heard.subarray(speech.length);
  expect(rms(noise)).toBeLessThan(rms(speech) * 0.05);
  expect(rms(noise)).toBeGreaterThan(rms(speech) * 0.005);
  expect(withNoiseFloor(muted)).toEqual(heard);
  expect(muted.at(-1)).toBe(0);
});

test("silence stays silence, and an empty clip stays empty", () => {
  expect(withNoiseFloor(new Float32Array(1_000)).every((sample) => sample === 0)).toBe(true);
  expect(withNoiseFloor(new Float32Array(0))).toHaveLength(0);
});

import { expect, test } from "vitest";
import { DcBlocker } from "../../src/audio/dc-blocker.ts";
import { CALL_HZ } from "../../src/audio/format.ts";

const tone = (hz: number, offset: number) =>
  Float32Array.from({ length: CALL_HZ }, (_, at) => offset + 0.1 * Math.sin((2 * Math.PI * hz * at) / CALL_HZ));
const rms = (samples: Float32Array) =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);

test("an offset leaves nothing, also at the beginning", () => {
  expect(rms(new DcBlocker().process(new Float32Array(CALL_HZ).fill(0.3)))).toBe(0);
  const voice = new DcBlocker().process(tone(200, 0));
  const shifted = new DcBlocker().process(tone(200, 0.1));
  for (let at = 0; at < voice.length; at += 1) expect(shifted[at]).toBeCloseTo(voice[at] ?? NaN, 5);
});

test.each([80, 200, 3_000])("a voice of %d Hz keeps its level", (hz) => {
  expect(rms(new DcBlocker().process(tone(hz, 0))) / rms(tone(hz, 0))).toBeGreaterThan(0.98);
});

test("the chunks of the stream do not change the result", () => {
  const whole = new DcBlocker().process(tone(120, 0.2));
  const blocker = new DcBlocker();
  const parts = tone(120, 0.2);
  for (let at = 0, size = 0; at < parts.length; at += size, size = (size * 7 + 3) % 501)
    blocker.process(parts.subarray(at, at + size));
  expect(parts).toEqual(whole);
});

test("silence after a voice is silence within 0.2 s", () => {
  const blocker = new DcBlocker();
  blocker.process(tone(200, 0.1));
  const silence = blocker.process(new Float32Array(CALL_HZ).fill(0.1));
  expect(rms(silence.subarray(CALL_HZ * 0.2))).toBe(0);
});

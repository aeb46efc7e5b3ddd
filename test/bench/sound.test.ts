import { CALL_HZ } from "../../src/audio/format.ts";
import { expect, test } from "vitest";
import { firstAudible, lastAudible, noiseLoop, powerOf, voicedSpan } from "../../src/simulated-callers/sound.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { sine } from "../audio/signals.ts";

function at(seconds: number, length: number, sound: Float32Array): Float32Array {
  const all = new Float32Array(length * CALL_HZ);
  all.set(sound, seconds * CALL_HZ);
  return all;
}

test("the voiced span has the speech to 10 ms and excludes the noise after it", () => {
  const speech = at(0.5, 3, sine(200, CALL_HZ, CALL_HZ, 0.3));
  for (let index = 1.5 * CALL_HZ; index < 2 * CALL_HZ; index += 1) speech[index] = index % 2 === 0 ? 0.001 : -0.001;
  expect(voicedSpan(speech)).toEqual({ from: 0.5 * CALL_HZ, to: 1.5 * CALL_HZ });
  expect(voicedSpan(new Float32Array(CALL_HZ))).toBeUndefined();
});

test("a reply is audible from its first loud 10 ms, not from the silence before it", () => {
  expect(firstAudible(at(0.12, 1, sine(200, CALL_HZ, 1000, 0.1)))).toBe(0.12 * CALL_HZ);
  expect(firstAudible(new Float32Array(2400).fill(0.0001))).toBeUndefined();
});

test("a reply is audible until its last loud 10 ms", () => {
  expect(lastAudible(at(0.12, 1, sine(200, CALL_HZ, 2400, 0.1)))).toBe(0.22 * CALL_HZ);
  expect(lastAudible(new Float32Array(2400).fill(0.0001))).toBeUndefined();
});

test("noise has power 1 and is the same for the same seed", () => {
  for (const kind of ["white", "fan"] as const) {
    expect(powerOf(noiseLoop(kind, 1))).toBeCloseTo(1, 3);
    expect(noiseLoop(kind, 1)).toEqual(noiseLoop(kind, 1));
  }
  const random = seededRandom(7);
  const values = Array.from({ length: 1000 }, random);
  expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...values)).toBeLessThan(1);
  expect(values.reduce((sum, value) => sum + value, 0) / 1000).toBeCloseTo(0.5, 1);
});

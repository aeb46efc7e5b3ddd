import { MODEL_HZ } from "../../../src/audio/format.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../../src/simulated-callers/random.ts";
import { CUT_AFTER_SAMPLES, findCut } from "../../../src/conversation/transcripts/speech-cut.ts";

const VOICE = 0.3;

/** One second of noise, -1 to 1. */
const random = seededRandom(1);
const NOISE = Float32Array.from({ length: MODEL_HZ }, () => 2 * random() - 1);

/** Joins parts of noise, each given by its seconds and its level. */
function sound(...parts: readonly (readonly [number, number])[]): Float32Array {
  const lengths = parts.map(([seconds]) => Math.round(seconds * MODEL_HZ));
  const samples = new Float32Array(lengths.reduce((sum, length) => sum + length, 0));
  let end = 0;
  for (const [index, [, level]] of parts.entries()) {
    const part = samples.subarray(end, (end += lengths[index] ?? 0));
    for (let at = 0; at < part.length; at++) part[at] = level * (NOISE[at % MODEL_HZ] ?? 0);
  }
  return samples;
}

/** The cut in seconds, rounded to 0.1. */
const cutOf = (samples: Float32Array) => {
  const cut = findCut(samples);
  return (
    cut && Object.fromEntries(Object.entries(cut).map(([name, at]) => [name, Math.round(at / (MODEL_HZ / 10)) / 10]))
  );
};

test("a clip is divided in the middle of a long pause", () => {
  expect(cutOf(sound([3, VOICE], [0.4, 0], [1.7, VOICE]))).toEqual({
    leftEnd: 3.2,
    boundary: 3.2,
    rightStart: 3.2,
    knownFrom: 3.2,
  });
});

test("neither clip holds most of a very long pause", () => {
  expect(cutOf(sound([3, VOICE], [9, 0], [0.1, VOICE]))).toEqual({
    leftEnd: 3.3,
    boundary: 7.5,
    rightStart: 11.7,
    knownFrom: 7.5,
  });
});

test.each([
  ["a pause that has only begun", sound([5.2, VOICE], [0.3, 0])],
  ["a pause just before the end", sound([4.5, VOICE], [0.4, 0], [0.6, VOICE])],
  ["a pause near the beginning", sound([1, VOICE], [0.4, 0], [4, VOICE])],
  ["a short pause", sound([3, VOICE], [0.25, 0], [2, VOICE])],
  ["the silence in a word", sound([3, VOICE], [0.1, 0], [3.5, VOICE])],
  ["a weak word", sound([3, VOICE], [0.4, VOICE / 4], [3, VOICE])],
])("%s does not divide a clip yet", (_, samples) => {
  expect(samples.length).toBeGreaterThan(CUT_AFTER_SAMPLES);
  expect(findCut(samples)).toBeUndefined();
});

test("a clip of more than 6 s is divided at a short pause", () => {
  expect(cutOf(sound([3, VOICE], [0.25, 0], [3, VOICE]))).toMatchObject({ boundary: 3.1 });
});

test("a clip without a pause is divided at its quietest place, and both clips hold the speech around it", () => {
  const cut = cutOf(sound([4.6, VOICE], [0.06, VOICE / 8], [2.4, VOICE]));
  expect(cut).toMatchObject({ boundary: 4.6 });
  expect(cut?.["leftEnd"]).toBeGreaterThanOrEqual(5.2);
  expect(cut?.["rightStart"]).toBeLessThanOrEqual(4);
});

test("property: for any sound the left clip is short and the next one begins later", () => {
  const part = fc.tuple(fc.double({ min: 0.02, max: 3, noNaN: true }), fc.constantFrom(0, 0.01, 0.1, VOICE));
  fc.assert(
    fc.property(fc.array(part, { minLength: 3, maxLength: 8 }), (parts) => {
      const samples = sound(...parts);
      fc.pre(samples.length >= 7 * MODEL_HZ);
      const cut = findCut(samples);
      expect(cut?.leftEnd).toBeLessThanOrEqual(7.3 * MODEL_HZ);
      expect(cut?.rightStart).toBeGreaterThanOrEqual(2 * MODEL_HZ);
      expect(cut?.rightStart).toBeLessThan(samples.length);
    }),
    { numRuns: 60 },
  );
});

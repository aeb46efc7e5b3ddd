import { expect, test } from "vitest";
import { KnownVoices } from "../../../../src/conversation/ear/front-end/known-voices.ts";

const CALLER = Float32Array.of(1, 0, 0);
const NEAR = Float32Array.of(0.8, 0.6, 0);
const OTHER = Float32Array.of(0, 0, 1);
const heard = (vector: Float32Array, levelDbfs = -26, voicedMs = 2000) => ({ vector, levelDbfs, voicedMs });

function withCaller(): KnownVoices {
  const voices = new KnownVoices();
  for (let part = 0; part < 3; part++) voices.learn(heard(CALLER));
  return voices;
}

test("a voice is reliable after 4.9 s of it, and two voices do not add up", () => {
  const voices = new KnownVoices();
  voices.learn(heard(CALLER));
  voices.learn(heard(OTHER));
  voices.learn(heard(CALLER));
  voices.learn(heard(OTHER));
  expect(voices.areReliable).toBe(false);
  expect(voices.likeness(heard(CALLER))).toBeUndefined();
  voices.learn(heard(CALLER));
  expect(voices.areReliable).toBe(true);
});

test("likeness has the score and the distance to the usual level", () => {
  const likeness = withCaller().likeness(heard(NEAR, -32))!;
  expect(likeness.score).toBeCloseTo(0.8);
  expect(likeness.belowDb).toBeCloseTo(6);
});

test("a known caller's voice is followed, and another voice that opened a turn is not learned", () => {
  const voices = withCaller();
  for (let part = 0; part < 40; part++) voices.learn(heard(NEAR));
  expect(voices.likeness(heard(NEAR))!.score).toBeGreaterThan(0.95);
  for (let part = 0; part < 10; part++) voices.learn(heard(OTHER));
  expect(voices.likeness(heard(OTHER))!.score).toBeLessThan(0.1);
});

test("a new caller is known at once, beside the first, and few are kept", () => {
  const voices = withCaller();
  for (let caller = 0; caller < 9; caller++) voices.welcome(heard(OTHER));
  expect(voices.likeness(heard(OTHER))!.score).toBeCloseTo(1);
  expect(voices.likeness(heard(CALLER))!.score).toBeCloseTo(1);
});

test("nothing is known after forgetting", () => {
  const voices = withCaller();
  voices.forget();
  expect(voices.areReliable).toBe(false);
});

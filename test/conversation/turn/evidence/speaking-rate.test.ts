import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LevelMeter } from "../../../../src/audio/level.ts";
import { resampleAll } from "../../../../src/audio/resampler.ts";
import { readWav } from "../../../../src/audio/wav.ts";
import {
  followRate,
  rateStretch,
  syllablesPerSecond,
  UNKNOWN_RATE,
  type SpeakingRate,
} from "../../../../src/conversation/turn/evidence/speaking-rate.ts";

/** A recording that is repeated, stretched by the factor `slower`. */
function rateOf(name: string, slower: number): SpeakingRate {
  const { samples, sampleRateHz } = readWav(readFileSync(new URL(`../../../audio/${name}`, import.meta.url)));
  const audio = resampleAll(samples, sampleRateHz, Math.round(16_000 * slower));
  const meter = new LevelMeter(0.032);
  let rate = UNKNOWN_RATE;
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at + 512 <= audio.length; at += 512) {
      meter.update(audio.subarray(at, at + 512));
      if (meter.levelDbfs > -50) rate = followRate(rate, meter.levelDbfs, 32);
    }
  }
  return rate;
}

test("slow speech has a low rate and a longer wait", () => {
  const [quick, own, slow] = [0.75, 1, 1.6].map((slower) => rateOf("stt-reading.wav", slower)) as [
    SpeakingRate,
    SpeakingRate,
    SpeakingRate,
  ];
  expect(syllablesPerSecond(slow)).toBeLessThan(syllablesPerSecond(own));
  expect(syllablesPerSecond(own)).toBeLessThan(syllablesPerSecond(quick));
  expect(rateStretch(slow)).toBeGreaterThan(rateStretch(own));
});

test("the first words change the rate only a little", () => {
  expect(rateStretch(UNKNOWN_RATE)).toBe(1);
  let rate = UNKNOWN_RATE;
  const stretches = Array.from({ length: 600 }, (_, frame) => {
    rate = followRate(rate, frame % 40 < 20 ? 30 : 10, 32);
    return rateStretch(rate);
  });
  expect(stretches[60]).toBeLessThan(1.2);
  expect(stretches.at(-1)).toBeGreaterThan(1.3);
});

test("the wait stays between its limits for the slowest and the fastest speech", () => {
  const spoken = (framesPerSyllable: number) => {
    let rate = UNKNOWN_RATE;
    for (let frame = 0; frame < 3000; frame += 1)
      rate = followRate(rate, frame % framesPerSyllable < framesPerSyllable / 2 ? 30 : 10, 32);
    return rateStretch(rate);
  };
  expect([spoken(60), spoken(4)]).toEqual([1.4, 0.85]);
});

import { MODEL_HZ } from "../../../audio/format.ts";

const FRAME_SAMPLES = MODEL_HZ / 50;
/** Noise level relative to the loudest frame: -40 dB. */
const FLOOR = 0.01;

/**
 * Adds faint noise, the same for the same clip. Parakeet normalises each mel band over the clip. Digital silence from noise gates
 * and mutes makes it miss whole sentences (docs/decisions/0069-parakeet.md).
 */
export function withNoiseFloor(samples: Float32Array): Float32Array {
  let loudest = 0;
  for (let start = 0; start < samples.length; start += FRAME_SAMPLES) {
    let energy = 0;
    for (let index = start; index < start + FRAME_SAMPLES; index++) energy += (samples[index] ?? 0) ** 2;
    loudest = Math.max(loudest, energy / FRAME_SAMPLES);
  }
  // Uniform noise has a standard deviation of its limit divided by the root of 3.
  const limit = FLOOR * Math.sqrt(3 * loudest);
  let state = 1;
  return samples.map((sample) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return sample + (limit * state) / 2 ** 31;
  });
}

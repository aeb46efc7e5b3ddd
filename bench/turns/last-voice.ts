import { MODEL_HZ } from "../../src/audio/format.ts";

const STEP = MODEL_HZ / 100;

/**
 * The end of the voice by level alone, independent of any detector. It is the end of the last 10 ms that are 10 dB louder than the
 * recording's quietest twentieth and less than 35 dB below its loud parts.
 */
export function lastVoiceSample(samples: Float32Array): number {
  const levels: number[] = [];
  for (let start = 0; start + STEP <= samples.length; start += STEP) {
    let power = 1e-12;
    for (let i = start; i < start + STEP; i++) power += samples[i]! ** 2 / STEP;
    levels.push(10 * Math.log10(power));
  }
  const sorted = levels.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const threshold = Math.max(at(0.05) + 10, at(0.9) - 35);
  return (levels.findLastIndex((level) => level > threshold) + 1) * STEP;
}

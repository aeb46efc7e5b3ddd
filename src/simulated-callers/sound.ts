import { CALL_HZ } from "../audio/format.ts";
import { seededRandom } from "./random.ts";

/** Finds where sound begins and ends by energy alone, independent of any detector. The rate is CALL_HZ. */

const FRAME = CALL_HZ / 100;
/** Level relative to the loudest 10 ms that still counts as voice, dB. */
const VOICED_BELOW_PEAK_DB = 35;
/** Level from which 10 ms of a reply are audible. */
const AUDIBLE_DBFS = -50;

/** Positions of the first and one past the last voiced 10 ms of clean speech. Undefined for silence. */
export function voicedSpan(speech: Float32Array): { readonly from: number; readonly to: number } | undefined {
  const levels = frameLevels(speech);
  const threshold = Math.max(AUDIBLE_DBFS, Math.max(...levels) - VOICED_BELOW_PEAK_DB);
  const first = levels.findIndex((level) => level >= threshold);
  if (first < 0) return undefined;
  const last = levels.findLastIndex((level) => level >= threshold);
  return { from: first * FRAME, to: Math.min(speech.length, (last + 1) * FRAME) };
}

/** Position of the first audible 10 ms. */
export function firstAudible(sound: Float32Array): number | undefined {
  const first = frameLevels(sound).findIndex((level) => level >= AUDIBLE_DBFS);
  return first < 0 ? undefined : first * FRAME;
}

/** Position after the last audible 10 ms. */
export function lastAudible(sound: Float32Array): number | undefined {
  const last = frameLevels(sound).findLastIndex((level) => level >= AUDIBLE_DBFS);
  return last < 0 ? undefined : Math.min(sound.length, (last + 1) * FRAME);
}

export function powerOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : sum / samples.length;
}

function frameLevels(samples: Float32Array): number[] {
  const levels: number[] = [];
  for (let at = 0; at < samples.length; at += FRAME)
    levels.push(10 * Math.log10(powerOf(samples.subarray(at, at + FRAME)) + 1e-12));
  return levels;
}

export type NoiseKind = "white" | "fan";

const LOOP_SECONDS = 7;

/** A loop of noise at power 1. `fan` is a low rumble that swells, with a motor's hum. */
export function noiseLoop(kind: NoiseKind, seed: number): Float32Array {
  const random = seededRandom(seed);
  let low = 0;
  const loop = Float32Array.from({ length: LOOP_SECONDS * CALL_HZ }, (_, at) => {
    const white = 2 * random() - 1;
    if (kind === "white") return white;
    const seconds = at / CALL_HZ;
    low += 0.02 * (white - low);
    return low * (1 + 0.4 * Math.sin(8 * Math.PI * seconds)) + 0.02 * Math.sin(200 * Math.PI * seconds);
  });
  return toPower(loop, 1);
}

export function toPower(samples: Float32Array, power: number): Float32Array {
  const own = powerOf(samples);
  if (own === 0) return samples;
  const gain = Math.sqrt(power / own);
  return samples.map((sample) => sample * gain);
}

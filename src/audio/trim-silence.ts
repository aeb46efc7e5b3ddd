import { peak } from "./level.ts";

/** Samples quieter than the clip's peak by more than this are silence. */
const THRESHOLD_DB = 40;
/** Kept before the first and after the last loud sample: soft onsets and endings lie below the threshold. */
const LEAD_GUARD_MS = 10;
const TAIL_GUARD_MS = 30;
/** Fade at each cut, inside the guard, against clicks. */
const FADE_MS = 4;

/** A copy of a synthesised clip without its leading and trailing silence; empty when all of it is silent. */
export function trimSilence(samples: Float32Array, sampleRateHz: number): Float32Array {
  const threshold = peak(samples) * 10 ** (-THRESHOLD_DB / 20);
  if (threshold === 0) return new Float32Array(0);

  let first = 0;
  while (Math.abs(samples[first]!) < threshold) first++;
  let last = samples.length - 1;
  while (Math.abs(samples[last]!) < threshold) last--;

  const toSamples = (ms: number): number => Math.round((ms / 1000) * sampleRateHz);
  const from = Math.max(0, first - toSamples(LEAD_GUARD_MS));
  const to = Math.min(samples.length, last + 1 + toSamples(TAIL_GUARD_MS));
  const out = samples.slice(from, to);

  // An end that was not cut is as the synthesiser made it: no fade over speech that starts at sample 0.
  if (from > 0) fade(out, Math.min(toSamples(FADE_MS), first - from), false);
  if (to < samples.length) fade(out, Math.min(toSamples(FADE_MS), to - last - 1), true);
  return out;
}

function fade(samples: Float32Array, length: number, atEnd: boolean): void {
  for (let i = 0; i < length; i++) {
    const at = atEnd ? samples.length - 1 - i : i;
    samples[at] = (samples[at]! * i) / length;
  }
}

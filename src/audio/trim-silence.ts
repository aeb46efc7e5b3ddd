import { peak } from "./level.ts";

export interface TrimOptions {
  /** Samples quieter than the clip's peak by more than this are silence. */
  readonly thresholdDb?: number;
  /** Kept before the first and after the last loud sample: soft onsets and endings lie below the threshold. */
  readonly leadGuardMs?: number;
  readonly tailGuardMs?: number;
  /** Fade at each cut, inside the guard, against clicks. */
  readonly fadeMs?: number;
}

/** A copy of a synthesised clip without its leading and trailing silence; empty when all of it is silent. */
export function trimSilence(samples: Float32Array, sampleRateHz: number, options: TrimOptions = {}): Float32Array {
  const { thresholdDb = 40, leadGuardMs = 10, tailGuardMs = 30, fadeMs = 4 } = options;
  const threshold = peak(samples) * 10 ** (-thresholdDb / 20);
  if (threshold === 0) return new Float32Array(0);

  let first = 0;
  while (Math.abs(samples[first]!) < threshold) first++;
  let last = samples.length - 1;
  while (Math.abs(samples[last]!) < threshold) last--;

  const toSamples = (ms: number): number => Math.round((ms / 1000) * sampleRateHz);
  const from = Math.max(0, first - toSamples(leadGuardMs));
  const to = Math.min(samples.length, last + 1 + toSamples(tailGuardMs));
  const out = samples.slice(from, to);

  // An end that was not cut is as the synthesiser made it: no fade over speech that starts at sample 0.
  if (from > 0) fade(out, Math.min(toSamples(fadeMs), first - from), false);
  if (to < samples.length) fade(out, Math.min(toSamples(fadeMs), to - last - 1), true);
  return out;
}

function fade(samples: Float32Array, length: number, atEnd: boolean): void {
  for (let i = 0; i < length; i++) {
    const at = atEnd ? samples.length - 1 - i : i;
    samples[at] = (samples[at]! * i) / length;
  }
}

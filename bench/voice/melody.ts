import { meanSquare, median } from "./waveform-measures.ts";

const STEP_SECONDS = 0.02;
const WINDOW_SECONDS = 0.04;
const LOWEST_HZ = 90;
const HIGHEST_HZ = 400;
/** Correlation with the sound one period later from which a window is voiced. */
const VOICED = 0.6;

/** Pitch of each voiced window of 40 ms, in semitones above 100 Hz. */
export function pitches(samples: Float32Array, sampleRateHz: number): readonly number[] {
  const [step, window] = [STEP_SECONDS, WINDOW_SECONDS].map((seconds) => Math.round(seconds * sampleRateHz)) as [
    number,
    number,
  ];
  const found: number[] = [];
  for (let start = 0; start + 2 * window <= samples.length; start += step) {
    const hz = pitchOf(samples.subarray(start, start + 2 * window), window, sampleRateHz);
    if (hz !== undefined) found.push(12 * Math.log2(hz / 100));
  }
  return found;
}

/** Center and spread of a melody, and the pitch of its last fifth, in semitones. */
export function melodyOf(samples: Float32Array, sampleRateHz: number) {
  const notes = pitches(samples, sampleRateHz);
  const center = median(notes);
  const end = median(notes.slice(Math.floor(notes.length * 0.8)));
  const spread = Math.sqrt(notes.reduce((sum, note) => sum + (note - center) ** 2, 0) / Math.max(1, notes.length));
  return { center, spread, end };
}

function pitchOf(samples: Float32Array, window: number, sampleRateHz: number): number | undefined {
  const first = samples.subarray(0, window);
  const energy = meanSquare(first) * window;
  if (energy < 1e-4 * window) return undefined;
  let best = { value: VOICED, lag: 0 };
  for (let lag = Math.round(sampleRateHz / HIGHEST_HZ); lag <= sampleRateHz / LOWEST_HZ; lag++) {
    const later = samples.subarray(lag, lag + window);
    let product = 0;
    for (let at = 0; at < window; at++) product += (first[at] ?? 0) * (later[at] ?? 0);
    const value = product / Math.sqrt(energy * meanSquare(later) * window + 1e-12);
    // The shortest of nearly equal periods: a longer one is a multiple.
    if (value > best.value + (best.lag === 0 ? 0 : 0.02)) best = { value, lag };
  }
  return best.lag === 0 ? undefined : sampleRateHz / best.lag;
}

/**
 * Speaking rate from the level alone: its peaks count as syllables. Averages the last ten seconds of voice, so that it follows a
 * caller who slows down within a few sentences. Missing seconds count as ordinary speech.
 */
export interface SpeakingRate {
  /** Decaying sums: peaks, and ms of voice. */
  readonly syllables: number;
  readonly voicedMs: number;
  /** The last turning point of the level, in dB, and whether the level has been rising since. */
  readonly turningDb: number;
  readonly rising: boolean;
}

const MEMORY_MS = 10_000;
/** A peak rises this far above the dips beside it. */
const HUMP_DB = 3;
/** Peaks per second of voice in ordinary English, counted this way (docs/decisions/0042). */
const ORDINARY_PER_SECOND = 3.5;
const SHORTEST = 0.85;
const LONGEST = 1.4;

export const UNKNOWN_RATE: SpeakingRate = {
  syllables: (ORDINARY_PER_SECOND * MEMORY_MS) / 1000,
  voicedMs: MEMORY_MS,
  turningDb: 0,
  rising: false,
};

/** One voiced frame. `levelDb` may be relative to any constant. */
export function followRate(rate: SpeakingRate, levelDb: number, frameMs: number): SpeakingRate {
  const kept = Math.exp(-frameMs / MEMORY_MS);
  const voicedMs = rate.voicedMs * kept + frameMs;
  const syllables = rate.syllables * kept;
  const away = levelDb - rate.turningDb;
  if (rate.rising) {
    if (away <= -HUMP_DB) return { syllables, voicedMs, turningDb: levelDb, rising: false };
    return { syllables, voicedMs, turningDb: Math.max(rate.turningDb, levelDb), rising: true };
  }
  if (away >= HUMP_DB) return { syllables: syllables + 1, voicedMs, turningDb: levelDb, rising: true };
  return { syllables, voicedMs, turningDb: Math.min(rate.turningDb, levelDb), rising: false };
}

export const syllablesPerSecond = ({ syllables, voicedMs }: SpeakingRate): number => (1000 * syllables) / voicedMs;

/** Factor of the wait for a speaker of this rate; 1 for an ordinary one. */
export function rateStretch(rate: SpeakingRate): number {
  return Math.min(LONGEST, Math.max(SHORTEST, ORDINARY_PER_SECOND / syllablesPerSecond(rate)));
}

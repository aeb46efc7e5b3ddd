/**
 * How fast somebody speaks, told from the level alone: syllables are its humps. Averaged over the last ten seconds of
 * voice, so that a caller who slows down is followed within a few sentences; whoever has not said that much is presumed to
 * be ordinary for the rest.
 */
export interface SpeakingRate {
  /** Decaying sums: humps, and ms of voice. */
  readonly syllables: number;
  readonly voicedMs: number;
  /** The last turning point of the level, in dB, and whether the level has been rising since. */
  readonly turningDb: number;
  readonly rising: boolean;
}

const MEMORY_MS = 10_000;
/** A hump stands this far out of the dips beside it. */
const HUMP_DB = 3;
/** Humps a second of voice in ordinary English, counted this way (docs/decisions/0042). */
const ORDINARY_PER_SECOND = 3.5;
const SHORTEST = 0.85;
const LONGEST = 1.4;

export const UNKNOWN_RATE: SpeakingRate = {
  syllables: (ORDINARY_PER_SECOND * MEMORY_MS) / 1000,
  voicedMs: MEMORY_MS,
  turningDb: 0,
  rising: false,
};

/** One voiced frame: its level in dB (over anything that stays the same). */
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

/** How much longer (above 1) a pause of a speaker this fast is waited for than an ordinary speaker's. */
export function rateStretch(rate: SpeakingRate): number {
  return Math.min(LONGEST, Math.max(SHORTEST, ORDINARY_PER_SECOND / syllablesPerSecond(rate)));
}

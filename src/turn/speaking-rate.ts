/**
 * How fast somebody speaks, told from the level alone: syllables are its humps. Averaged over the last ten seconds of
 * voice, so that a caller who slows down is followed within a sentence or two.
 */
export interface SpeakingRate {
  /** Decaying sums: humps, and ms of voice. */
  readonly syllables: number;
  readonly voicedMs: number;
  /** The last turning point of the level, in dB, and whether the level has been rising since. */
  readonly turningDb: number;
  readonly rising: boolean;
}

export const UNKNOWN_RATE: SpeakingRate = { syllables: 0, voicedMs: 0, turningDb: 0, rising: false };

const MEMORY_MS = 10_000;
/** Before this much voice nothing is said about the rate. */
const ENOUGH_MS = 2000;
/** A hump stands this far out of the dips beside it. */
const HUMP_DB = 3;
/** Humps a second of voice in ordinary English, counted this way (docs/decisions/0042). */
const ORDINARY_PER_SECOND = 3.5;
const SHORTEST = 0.85;
const LONGEST = 1.4;

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

/** Syllables a second of voice; undefined before enough was heard. */
export function syllablesPerSecond({ syllables, voicedMs }: SpeakingRate): number | undefined {
  return voicedMs < ENOUGH_MS ? undefined : (1000 * syllables) / voicedMs;
}

/** How much longer (above 1) a pause of a speaker this fast is waited for than an ordinary speaker's. */
export function rateStretch(rate: SpeakingRate): number {
  const perSecond = syllablesPerSecond(rate);
  if (perSecond === undefined) return 1;
  return Math.min(LONGEST, Math.max(SHORTEST, ORDINARY_PER_SECOND / Math.max(perSecond, 0.1)));
}

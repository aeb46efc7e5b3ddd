/**
 * Lengths of one caller's pauses inside turns and of their turns, learned during the call as exponential averages. A new caller
 * starts with ordinary values.
 */
export interface Habits {
  /** Mean and variance of the natural logarithm of inner pauses in seconds. */
  readonly pause: Spread;
  /** Mean and variance of the length of turns in seconds, and the number of turns. */
  readonly turn: Spread & { readonly count: number };
}

interface Spread {
  readonly mean: number;
  readonly variance: number;
}

/** Inner pauses of 160 ms and more in read and spoken English: median 0.5 s. */
const ORDINARY_PAUSE: Spread = { mean: Math.log(0.5), variance: 0.6 };
export const NO_HABITS: Habits = { pause: ORDINARY_PAUSE, turn: { mean: 0, variance: 0, count: 0 } };

const PAUSE_SHARE = 0.06;
const TURN_SHARE = 0.1;
/** Lower bound: even after similar pauses, the next pause may differ. */
const LEAST_PAUSE_VARIANCE = 0.1;
/** Number of ordinary turns, with a spread as wide as their mean, that count for every caller from the start. */
const ORDINARY_TURNS = 0.5;
/** Bounds: habits are weaker evidence than the current audio. They lengthen a wait more than they shorten it. */
const LEAST_SHIFT = -3;
const MOST_SHIFT = 1;

/** The caller continued after `ms` of silence. Without silence, when the longest turn was cut in mid-voice, there is nothing to learn. */
export function learnPause(habits: Habits, ms: number): Habits {
  if (ms <= 0) return habits;
  const { mean, variance } = habits.pause;
  const away = Math.log(ms / 1000) - mean;
  const pause = {
    mean: mean + PAUSE_SHARE * away,
    variance: Math.max(LEAST_PAUSE_VARIANCE, variance + PAUSE_SHARE * (away * away - variance)),
  };
  return { ...habits, pause };
}

/** A turn lasted `ms`. */
export function learnTurn(habits: Habits, ms: number): Habits {
  const { mean, variance, count } = habits.turn;
  // The plain average while there are few.
  const share = Math.max(TURN_SHARE, 1 / (count + 1));
  const away = ms / 1000 - mean;
  const turn = {
    mean: mean + share * away,
    variance: (1 - share) * (variance + share * away * away),
    count: count + 1,
  };
  return { ...habits, turn };
}

/**
 * Log odds that the habits add to the odds that a turn is over. A pause longer than this caller's pauses raises them, a usual one
 * changes nothing. For callers with turns of similar length, a shorter turn lowers them.
 */
export function habitShift(habits: Habits, turnMs: number, silentMs: number): number {
  return bounded(pauseShift(habits.pause, silentMs / 1000)) + bounded(turnShift(habits.turn, turnMs / 1000));
}

/** Evidence from the pause: above 0 when this caller's pauses are shorter than an ordinary caller's. */
function pauseShift(own: Spread, seconds: number): number {
  return Math.log(goesOn(ORDINARY_PAUSE, seconds)) - Math.log(goesOn(own, seconds));
}

/** The share of pauses that are longer. */
function goesOn({ mean, variance }: Spread, seconds: number): number {
  return Math.max(1e-4, upperTail((Math.log(seconds) - mean) / Math.sqrt(variance)));
}

/**
 * The hazard of a Weibull distribution with this caller's mean and spread, relative to a constant one. Ordinary turns vary as much
 * as their mean (shape 1) and shift nothing. Only unusually regular turns do.
 */
function turnShift({ mean, variance, count }: Habits["turn"], seconds: number): number {
  if (count === 0 || mean <= 0) return 0;
  const seen = Math.min(count, 1 / TURN_SHARE);
  const square = (seen * (variance / mean ** 2) + ORDINARY_TURNS) / (seen + ORDINARY_TURNS);
  const shape = Math.max(1, square ** (-1.086 / 2));
  return Math.log(shape) + (shape - 1) * Math.log(Math.max(seconds, 0.3) / (mean / 0.9));
}

const bounded = (shift: number): number => Math.min(MOST_SHIFT, Math.max(LEAST_SHIFT, shift));

/** Upper tail of the standard normal distribution: a logistic approximation, within 0.0002. */
function upperTail(z: number): number {
  return 1 / (1 + Math.exp(1.5976 * z + 0.07056 * z ** 3));
}

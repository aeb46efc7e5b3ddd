/**
 * What is learned of one caller as the call goes on: how long the pauses inside the turns are, and how long the turns.
 * Exponential averages; a new caller is an ordinary one.
 */
export interface Habits {
  /** Mean and variance of the natural logarithm of inner pauses in seconds. */
  readonly pause: Spread;
  /** Mean and variance of the length of turns in seconds, and how many turns that rests on. */
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
/** However alike somebody's pauses were so far, the next may differ. */
const LEAST_PAUSE_VARIANCE = 0.1;
/** Turns of an ordinary spread (as wide as their mean) that everybody is taken to have had before. */
const ORDINARY_TURNS = 0.5;
/** Habits are a hint beside what is heard now; they make somebody wait more easily than they cut somebody off. */
const LEAST_SHIFT = -3;
const MOST_SHIFT = 1;

/** The user went on after `ms` of silence; with none, for `max_turn_duration` had cut his voice in two, there is nothing to learn. */
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
 * What the habits add to the log odds that a turn is over: a pause already longer than this caller's pauses says yes,
 * one of the usual length says nothing; for callers whose turns are alike in length, a turn shorter than those says no.
 */
export function habitShift(habits: Habits, turnMs: number, silentMs: number): number {
  return bounded(pauseShift(habits.pause, silentMs / 1000)) + bounded(turnShift(habits.turn, turnMs / 1000));
}

/** How much sooner (above 0) a pause of this length is over than an ordinary caller's. */
function pauseShift(own: Spread, seconds: number): number {
  return Math.log(goesOn(ORDINARY_PAUSE, seconds)) - Math.log(goesOn(own, seconds));
}

/** The share of pauses that are longer. */
function goesOn({ mean, variance }: Spread, seconds: number): number {
  return Math.max(1e-4, upperTail((Math.log(seconds) - mean) / Math.sqrt(variance)));
}

/**
 * The hazard of a Weibull distribution with this caller's mean and spread, against a constant one. Turns that vary as
 * much as their mean (shape 1), which is how people talk, shift nothing, so only a caller of unusual regularity counts.
 */
function turnShift({ mean, variance, count }: Habits["turn"], seconds: number): number {
  if (count === 0 || mean <= 0) return 0;
  const seen = Math.min(count, 1 / TURN_SHARE);
  const square = (seen * (variance / mean ** 2) + ORDINARY_TURNS) / (seen + ORDINARY_TURNS);
  const shape = Math.max(1, square ** (-1.086 / 2));
  return Math.log(shape) + (shape - 1) * Math.log(Math.max(seconds, 0.3) / (mean / 0.9));
}

const bounded = (shift: number): number => Math.min(MOST_SHIFT, Math.max(LEAST_SHIFT, shift));

/** Of the standard normal distribution; a logistic approximation, within 0.0002. */
function upperTail(z: number): number {
  return 1 / (1 + Math.exp(1.5976 * z + 0.07056 * z ** 3));
}

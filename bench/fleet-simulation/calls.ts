import { logNormal } from "../../src/simulated-callers/random.ts";

/**
 * Call lengths of a bank's call centre: log-normal, median 114 s, mean 188 s (Brown, Gans, Mandelbaum and others, "Statistical
 * Analysis of a Telephone Call Center", 2005). Assistants answer the same kind of question, but their calls are not measured.
 */
export const CALL_LENGTH = { medianSeconds: 114, spread: 1 };

export const MEAN_CALL_SECONDS = CALL_LENGTH.medianSeconds * Math.exp(CALL_LENGTH.spread ** 2 / 2);

export const callSeconds = (random: () => number): number =>
  logNormal(random, CALL_LENGTH.medianSeconds, CALL_LENGTH.spread);

/**
 * Assumption: how many calls begin in each hour of a working day. It has the shape of most call centres: a steep morning, a peak
 * before noon, a lower one in the afternoon, a quiet night.
 */
const CALLS_BY_HOUR = [6, 4, 3, 3, 4, 8, 20, 42, 68, 88, 97, 92, 78, 80, 88, 86, 76, 62, 46, 34, 26, 20, 14, 9];

/** Calls per second at a time of the day. Between the middles of two hours the rate changes evenly. */
export function callsPerSecond(callsADay: number, atSeconds: number): number {
  const hours = (atSeconds / 3600 - 0.5 + 24) % 24;
  const before = CALLS_BY_HOUR[Math.floor(hours)] ?? 0;
  const after = CALLS_BY_HOUR[Math.floor(hours + 1) % 24] ?? 0;
  const total = CALLS_BY_HOUR.reduce((sum, calls) => sum + calls, 0);
  return (callsADay * (before + (after - before) * (hours % 1))) / total / 3600;
}

/** The highest rate of the day. */
export const peakCallsPerSecond = (callsADay: number): number =>
  Math.max(...CALLS_BY_HOUR.map((_, hour) => callsPerSecond(callsADay, (hour + 0.5) * 3600)));

export interface BackOff {
  /** Wait before the first new attempt, ms; doubled for each one after it. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** Attempts in a row before the client gives up. */
  readonly attempts: number;
}

export const DEFAULT_BACK_OFF: BackOff = { firstMs: 500, longestMs: 20_000, attempts: 12 };

/**
 * The wait before attempt `attempt` (from 0), ms. Half of it is random, so that the clients of a restarted server do not all
 * reconnect at once.
 * @param random In [0, 1).
 */
export function backOffMs({ firstMs, longestMs }: BackOff, attempt: number, random: number): number {
  return Math.min(longestMs, firstMs * 2 ** attempt) * (0.5 + random / 2);
}

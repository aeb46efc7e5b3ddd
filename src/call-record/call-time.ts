/** Network delays of a stream that goes on. A longer one is a gap in the call. */
const GAP_MS = 500;
/** Audio that is earlier moves all times. Smaller differences are the clocks of two machines. */
const EARLY_MS = 20;

/** Places the times of a session, which counts the caller's audio, in the time of the record. All in ms. */
export class CallTime {
  #offsetMs: number | undefined;

  /**
   * Audio that begins at `sessionMs` has arrived at `nowMs` since the start of the record. Audio never arrives before it is spoken,
   * so the earliest arrival since a gap counts. Audio that the network held back looks like a gap until the rest comes at once.
   */
  heard(sessionMs: number, lengthMs: number, nowMs: number): void {
    const estimate = nowMs - lengthMs - sessionMs;
    const lateMs = estimate - (this.#offsetMs ?? Infinity);
    if (lateMs < -EARLY_MS || lateMs > GAP_MS) this.#offsetMs = estimate;
  }

  /** Time since the start of the record. */
  place(sessionMs: number): number {
    return Math.max(0, Math.round(sessionMs + (this.#offsetMs ?? 0)));
  }
}

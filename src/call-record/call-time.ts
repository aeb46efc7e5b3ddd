/** Network delays of a stream that goes on. A longer one is a gap in the call. */
const GAP_MS = 500;

/** Places the times of a session, which counts the caller's audio, in the time of the record. All in ms. */
export class CallTime {
  #offsetMs: number | undefined;

  /** Audio that begins at `sessionMs` has arrived at `nowMs` since the start of the record. */
  heard(sessionMs: number, lengthMs: number, nowMs: number): void {
    const estimate = nowMs - lengthMs - sessionMs;
    if (this.#offsetMs === undefined || Math.abs(estimate - this.#offsetMs) > GAP_MS) this.#offsetMs = estimate;
  }

  /** Time since the start of the record. */
  place(sessionMs: number): number {
    return Math.max(0, Math.round(sessionMs + (this.#offsetMs ?? 0)));
  }
}

/** Wall time for pacing and time-outs. Tests use a virtual one; a session's own time is samples. */
export interface Clock {
  /** Monotonic, ms. */
  nowMs(): number;
  /** Calls back once after `delayMs`; returns the cancel. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

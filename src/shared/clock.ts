/** Clock for pacing and time-outs. Tests use a virtual clock. Time inside a session is counted in samples. */
export interface Clock {
  /** Monotonic, ms. */
  nowMs(): number;
  /** Calls back once after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

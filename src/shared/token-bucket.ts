/** Limits a rate to `perSecond` on average, with bursts up to `capacity`. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  #tokens: number;
  #lastMs: number;

  constructor(capacity: number, perSecond: number, nowMs: number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
    this.#lastMs = nowMs;
  }

  /** Takes all of `amount`, or nothing and answers false. */
  take(amount: number, nowMs: number): boolean {
    const refill = ((nowMs - this.#lastMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#capacity, this.#tokens + refill);
    this.#lastMs = nowMs;
    if (amount > this.#tokens) return false;
    this.#tokens -= amount;
    return true;
  }
}

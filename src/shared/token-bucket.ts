/** Limits a rate to `perSecond` on average, with bursts up to `capacity`. */
export class TokenBucket {
  #capacity: number;
  #perSecond: number;
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
    this.#refill(nowMs);
    if (amount > this.#tokens) return false;
    this.#tokens -= amount;
    return true;
  }

  /** The time until `take` takes `amount`, ms. At most the capacity can be taken. */
  waitMs(amount: number, nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(0, Math.ceil(((amount - this.#tokens) / this.#perSecond) * 1000));
  }

  /** Other limits from now on. The amount that is taken already counts. */
  resize(capacity: number, perSecond: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#tokens = Math.max(0, this.#tokens + capacity - this.#capacity);
    this.#capacity = capacity;
    this.#perSecond = perSecond;
  }

  #refill(nowMs: number): void {
    const refill = ((nowMs - this.#lastMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#capacity, this.#tokens + refill);
    this.#lastMs = nowMs;
  }
}

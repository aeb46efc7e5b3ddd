import { TokenBucket } from "../shared/token-bucket.ts";

const BURST = 20;
const PER_SECOND = 2;

/** At most 20 errors at once and 2 a second. */
export class ErrorLimit {
  readonly #rate: TokenBucket;
  #suppressed = 0;

  constructor(nowMs: number) {
    this.#rate = new TokenBucket(BURST, PER_SECOND, nowMs);
  }

  /** How many errors were suppressed before this one; undefined when this one must not be sent. */
  pass(nowMs: number): number | undefined {
    if (!this.#rate.take(1, nowMs)) {
      this.#suppressed += 1;
      return undefined;
    }
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    return suppressed;
  }
}

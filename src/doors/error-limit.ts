import { TokenBucket } from "../shared/token-bucket.ts";

const BURST = 20;
const PER_SECOND = 2;

/** At most 20 errors at once and 2 a second; the next one that passes reports how many were suppressed. */
export class ErrorLimit {
  readonly #rate: TokenBucket;
  #suppressed = 0;

  constructor(nowMs: number) {
    this.#rate = new TokenBucket(BURST, PER_SECOND, nowMs);
  }

  /** The details to send; undefined when the error must not be sent. */
  pass(details: Readonly<Record<string, unknown>>, nowMs: number): Readonly<Record<string, unknown>> | undefined {
    if (!this.#rate.take(1, nowMs)) {
      this.#suppressed += 1;
      return undefined;
    }
    const suppressed = this.#suppressed === 0 ? {} : { suppressed_errors: this.#suppressed };
    this.#suppressed = 0;
    return { ...details, ...suppressed };
  }
}

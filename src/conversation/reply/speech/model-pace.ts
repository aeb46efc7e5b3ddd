import { addAbortListener } from "node:events";
import type { Clock } from "../../../shared/clock.ts";
import { TokenBucket } from "../../../shared/token-bucket.ts";

/** Requests of one session to the language model: a burst of tool calls fits, a flood of texts or keys does not. */
const AT_ONCE = 8;
const PER_SECOND = 2;
const RETRY_MS = 500;

/** Bounds the rate at which one session asks the language model, whatever the client does. */
export class ModelPace {
  readonly #clock: Clock;
  readonly #rate: TokenBucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#rate = new TokenBucket(AT_ONCE, PER_SECOND, clock.nowMs());
  }

  /** Runs `ask` now, or when the rate allows it. An aborted one is not counted, and runs at once to say so. */
  async run<Result>(signal: AbortSignal, ask: () => Promise<Result>): Promise<Result> {
    while (!signal.aborted && !this.#rate.take(1, this.#clock.nowMs())) await this.#wait(signal);
    return await ask();
  }

  async #wait(signal: AbortSignal): Promise<void> {
    let wake!: () => void;
    const over = new Promise<void>((resolve) => (wake = resolve));
    const cancel = this.#clock.after(RETRY_MS, wake);
    using _ = addAbortListener(signal, wake);
    await over;
    cancel();
  }
}

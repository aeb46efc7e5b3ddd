import { addAbortListener } from "node:events";
import { AbortScope } from "../../shared/abort-scope.ts";
import type { Clock } from "../../shared/clock.ts";

/** A limit for the waits of one request. Time between waits does not count, so a slow reader misses no deadline. */
export class Deadline implements Disposable {
  readonly #scope: AbortScope;
  readonly #ms: number;
  readonly #clock: Clock;
  readonly #late: () => Error;
  #leftMs: number;

  /** @param late The error of a wait that takes too long. */
  constructor(parent: AbortSignal, ms: number, clock: Clock, late: () => Error) {
    this.#scope = new AbortScope(parent);
    this.#ms = ms;
    this.#leftMs = ms;
    this.#clock = clock;
    this.#late = late;
  }

  /** Aborts with the parent, with a missed deadline, and at the end. */
  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  /** The next piece has its own time. @param ms Default: the whole time. */
  restart(ms = this.#ms): void {
    this.#leftMs = ms;
  }

  /** The result of `work`, or the signal's reason at once. */
  async wait<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this.#scope;
    const startMs = this.#clock.nowMs();
    const cancel = this.#clock.after(this.#leftMs, () => this.#scope.abort(this.#late()));
    let stop!: (reason: unknown) => void;
    const stopped = new Promise<never>((_, reject) => (stop = reject));
    using _ = addAbortListener(signal, () => stop(signal.reason));
    try {
      return await Promise.race([work, stopped]);
    } finally {
      cancel();
      this.#leftMs -= this.#clock.nowMs() - startMs;
    }
  }

  /** Waits that long. */
  async sleep(ms: number): Promise<void> {
    let wake!: () => void;
    const over = new Promise<void>((resolve) => (wake = resolve));
    const cancel = this.#clock.after(ms, wake);
    await this.wait(over).finally(cancel);
  }

  /** Ends the request, if it still runs. */
  [Symbol.dispose](): void {
    this.#scope.abort();
    this.#scope[Symbol.dispose]();
  }
}

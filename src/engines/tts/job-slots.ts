import { addAbortListener } from "node:events";
import { OakError } from "../../shared/errors.ts";

/** Runs at most `parallel` jobs at once, the others in order of arrival; an aborted one leaves the queue at once. */
export class JobSlots {
  readonly parallel: number;
  readonly #maxWaiting: number;
  /** What starts each one, and what it is to be told while it waits. */
  readonly #waiting = new Map<() => void, () => void>();
  #running = 0;

  constructor(parallel: number, maxWaiting: number) {
    this.parallel = parallel;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Rejects with TTS_BUSY (retryable) when too many wait, or with the signal's reason. While it waits, `moved` is called
   * whenever a job has ended.
   */
  async run<Result>(
    job: () => Promise<Result>,
    signal: AbortSignal,
    moved: () => void = () => undefined,
  ): Promise<Result> {
    signal.throwIfAborted();
    if (this.#running >= this.parallel) await this.#turn(signal, moved);
    else this.#running += 1;
    try {
      signal.throwIfAborted();
      return await job();
    } finally {
      this.#pass();
    }
  }

  /** Resolves when a finished job has passed its slot on. */
  async #turn(signal: AbortSignal, moved: () => void): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) {
      const message = `${String(this.#maxWaiting)} texts wait to be spoken already; try again later.`;
      throw new OakError(message, { code: "TTS_BUSY" });
    }
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        onAbort[Symbol.dispose]();
        resolve();
      };
      const onAbort = addAbortListener(signal, () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      });
      this.#waiting.set(start, moved);
    });
  }

  #pass(): void {
    for (const moved of this.#waiting.values()) moved();
    const [next] = this.#waiting.keys();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

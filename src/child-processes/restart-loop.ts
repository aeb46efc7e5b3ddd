import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import type { Child } from "./child.ts";
import type { ProcessLimits } from "./process-limits.ts";

export interface RestartLoopOptions extends Pick<ProcessLimits, "backoffMinMs" | "backoffMaxMs" | "stableMs"> {
  readonly name: string;
  readonly log: Log;
  /** The process is closed. */
  readonly signal: AbortSignal;
}

/** Forks a child again until it becomes ready, with longer and longer waits. */
export class RestartLoop {
  readonly #options: RestartLoopOptions;
  #count = 0;
  #failuresInARow = 0;

  constructor(options: RestartLoopOptions) {
    this.#options = options;
  }

  /** Restarts that succeeded. */
  get count(): number {
    return this.#count;
  }

  /** A child ended after this time. */
  ended(livedMs: number): void {
    if (livedMs > this.#options.stableMs) this.#failuresInARow = 0;
  }

  /** Never gives up: an operator may be restoring the model. Undefined when the process was closed meanwhile. */
  async run(fork: () => Promise<Child>): Promise<Child | undefined> {
    const { name, log, signal, backoffMinMs, backoffMaxMs } = this.#options;
    while (!signal.aborted) {
      const delayMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(this.#failuresInARow, 16));
      this.#failuresInARow += 1;
      try {
        await sleep(delayMs, undefined, { signal });
        const child = await fork();
        if (signal.aborted) {
          child.kill();
          return undefined;
        }
        this.#count += 1;
        log.info({ engine: name, restarts: this.#count }, "model process restarted");
        return child;
      } catch (error) {
        if (signal.aborted) return undefined;
        log.error(
          { engine: name, attempt: this.#failuresInARow, reason: errorMessage(error) },
          "model process did not restart",
        );
      }
    }
    return undefined;
  }
}

import type { Clock } from "../../shared/clock.ts";
import { errorMessage } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { Tasks } from "../../shared/tasks.ts";
import type { EngineHealth } from "../../child-processes/engine-health.ts";
import { RemoteFault } from "./remote-fault.ts";

/** Between two checks of a server that works. */
const CHECK_EVERY_MS = 15_000;
/** Between two attempts to reach a server that does not work. Doubled up to the longest. */
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 5_000;

export interface RemoteHealthOptions {
  readonly name: string;
  readonly log: Log;
  readonly clock: Clock;
  /** A small request of the kind that callers need. Rejects when it fails. */
  readonly tryOut: (signal: AbortSignal) => Promise<void>;
  /** A request that costs the server nothing. Rejects when the server cannot be reached. */
  readonly check: (signal: AbortSignal) => Promise<void>;
}

/**
 * Knows whether a server works. A failed request is followed by a small one, which decides. Requests fail at once while the server
 * does not work, because a caller would wait in silence.
 */
export class RemoteHealth implements EngineHealth {
  readonly name: string;
  readonly #options: RemoteHealthOptions;
  readonly #closing = new AbortController();
  readonly #tasks = new Tasks((error) => this.#options.log.error(errorMessage(error)));
  #fault: RemoteFault | undefined;
  #state: EngineHealth["state"] = "starting";
  #restarts = 0;
  #failuresInARow = 0;
  #isTrying = false;
  #cancel: () => void = () => undefined;

  constructor(options: RemoteHealthOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get state(): EngineHealth["state"] {
    return this.#state;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Resolves after the first attempt, also when the server cannot be reached yet. @throws RemoteFault that only the operator can remedy. */
  async start(): Promise<void> {
    await this.#try();
    if (this.#fault?.retryable === false) throw this.#fault;
  }

  /** @throws RemoteFault while the server does not work. */
  requireReady(): void {
    if (this.#state !== "ready" && this.#fault !== undefined) throw this.#fault;
  }

  /** A request has failed. Finds out whether the server works at all. */
  suspect(fault: RemoteFault): void {
    if (fault.code === "ENGINE_BUSY" || fault.code === "LLM_PROMPT_TOO_LONG" || this.#state === "closed") return;
    this.#tasks.own(this.#try());
  }

  async close(): Promise<void> {
    this.#state = "closed";
    this.#cancel();
    this.#closing.abort();
    await this.#tasks.settled();
  }

  async #try(): Promise<void> {
    if (this.#isTrying) return;
    this.#isTrying = true;
    this.#cancel();
    try {
      await this.#options.tryOut(this.#closing.signal);
      this.#works();
    } catch (error) {
      if (error instanceof RemoteFault && error.code === "ENGINE_BUSY") this.#works();
      else this.#fails(error);
    } finally {
      this.#isTrying = false;
    }
  }

  #works(): void {
    if (this.#state === "closed") return;
    if (this.#state === "restarting") {
      this.#restarts += 1;
      this.#options.log.info({ engine: this.name, restarts: this.#restarts }, "the server of the model works again");
    }
    this.#state = "ready";
    this.#fault = undefined;
    this.#failuresInARow = 0;
    this.#after(CHECK_EVERY_MS, async () => {
      try {
        await this.#options.check(this.#closing.signal);
        if (!this.#isTrying) this.#works();
      } catch {
        await this.#try();
      }
    });
  }

  #fails(error: unknown): void {
    if (this.#state === "closed") return;
    if (!(error instanceof RemoteFault)) throw error;
    // A server that comes up may have another fault, such as a wrong key.
    if (error.message !== this.#fault?.message)
      this.#options.log.warn({ engine: this.name, code: error.code }, error.message);
    this.#state = "restarting";
    this.#fault = error;
    const delayMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(this.#failuresInARow, 16));
    this.#failuresInARow += 1;
    this.#after(delayMs, () => this.#try());
  }

  #after(ms: number, work: () => Promise<void>): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(ms, () => this.#tasks.own(work()));
  }
}

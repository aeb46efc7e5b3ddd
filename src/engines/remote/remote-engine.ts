import { addAbortListener } from "node:events";
import type { RemoteModelConfig } from "./remote-model.ts";
import { readSecret } from "../../shared/files/secret.ts";
import type { Egress } from "../../egress/egress.ts";
import { systemClock, type Clock } from "../../shared/clock.ts";
import { OakError } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { Deadline } from "./deadline.ts";
import { RemoteClient } from "./remote-client.ts";
import { lateFault, RemoteFault } from "./remote-fault.ts";
import { RemoteHealth } from "./remote-health.ts";
import { beforeRetry } from "./retry.ts";

const LONGEST_TRY_SECONDS = 10;

export interface RemoteEngineOptions<Remote extends RemoteModelConfig = RemoteModelConfig> {
  readonly remote: Remote;
  readonly deadlineSeconds: number;
  /** Closed with the engine. */
  readonly egress: Egress;
  readonly log: Log;
  readonly clock?: Clock;
  /** Ends a start that is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** How a kind of model is tried out. Both reject with a RemoteFault when the request fails. */
export interface RemoteKind {
  /** Such as "language model". */
  readonly name: string;
  /** Such as "models.llm". */
  readonly setting: string;
  /** A small request of the kind that callers need. */
  readonly tryOut: (client: RemoteClient, deadline: Deadline) => Promise<void>;
  /** A request that costs the server nothing. */
  readonly check: (client: RemoteClient, deadline: Deadline) => Promise<void>;
}

/** One model on a server: its connections, its health, and the time that its requests have. */
export class RemoteEngine {
  readonly client: RemoteClient;
  readonly health: RemoteHealth;
  readonly #options: RemoteEngineOptions;
  readonly #clock: Clock;

  constructor({ name, setting, tryOut, check }: RemoteKind, options: RemoteEngineOptions) {
    const { remote, egress, log, clock = systemClock } = options;
    const key = readSecret({ file: remote.keyFile, variable: undefined }, "")?.text;
    this.#options = options;
    this.#clock = clock;
    const { url, model } = remote;
    this.client = new RemoteClient({ name, setting, host: new URL(url).host, model, url, key, egress });
    const within = async (signal: AbortSignal, work: RemoteKind["check"]) => {
      using deadline = this.deadline(signal, LONGEST_TRY_SECONDS);
      await work(this.client, deadline);
    };
    this.health = new RemoteHealth({
      name,
      log,
      clock,
      tryOut: (signal) => within(signal, tryOut),
      check: (signal) => within(signal, check),
    });
  }

  /**
   * Resolves also while the server cannot be reached.
   * @throws OakError `ENGINE_START_FAILED` for a fault that only the operator can remedy.
   */
  async start(): Promise<void> {
    const { signal } = this.#options;
    using _ = signal && addAbortListener(signal, () => void this.close());
    try {
      await this.health.start();
    } catch (cause) {
      await this.close();
      if (!(cause instanceof RemoteFault)) throw cause;
      throw new OakError(cause.message, { code: "ENGINE_START_FAILED", cause });
    }
  }

  /** The time of one request with its retries: as configured, at most `most` seconds. */
  deadline(signal: AbortSignal, most = Infinity): Deadline {
    const { deadlineSeconds } = this.#options;
    const seconds = Math.min(most, deadlineSeconds);
    const late = () => lateFault(this.client.to, seconds, seconds === deadlineSeconds);
    return new Deadline(signal, seconds * 1000, this.#clock, late);
  }

  /**
   * The result of `work`. `retries`: with a second and a third attempt after a fault that may pass.
   * @throws RemoteFault; the signal's reason.
   */
  async ask<Result>(
    signal: AbortSignal,
    work: (deadline: Deadline) => Promise<Result>,
    retries = true,
  ): Promise<Result> {
    signal.throwIfAborted();
    this.health.requireReady();
    using deadline = this.deadline(signal);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work(deadline);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RemoteFault)) throw error;
        this.health.suspect(error);
        if (!retries) throw error;
        await beforeRetry(error, attempt, deadline);
      }
      signal.throwIfAborted();
    }
  }

  async close(): Promise<void> {
    await this.health.close();
    await this.client.close();
  }
}

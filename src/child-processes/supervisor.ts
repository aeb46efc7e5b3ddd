import { addAbortListener } from "node:events";
import { AsyncQueue } from "../shared/async-queue.ts";
import { OakError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { startChild, type Child } from "./child.ts";
import type { ModelProcess } from "./model-process.ts";
import { watchHealth } from "./health.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { RequestTable, type PendingRequest } from "./request-table.ts";
import { DEFAULT_LIMITS, type ProcessLimits } from "./process-limits.ts";
import { RestartLoop } from "./restart-loop.ts";

export interface ModelProcessOptions {
  /** Such as "language model"; for errors and the log. */
  readonly name: string;
  /** Usually a path; for the error of a failed start. */
  readonly model: string;
  /** The file that calls `serveWorker`; see `workerUrl`. */
  readonly worker: URL;
  /** Given to `serveWorker`'s function at every start. */
  readonly init: unknown;
  readonly log: Log;
  readonly remedy?: string;
  readonly limits?: Partial<ProcessLimits>;
  /** Ends a start that is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** Forks the worker and keeps it alive. Rejects with ENGINE_START_FAILED when it does not become ready the first time. */
export async function startModelProcess(options: ModelProcessOptions): Promise<ModelProcess> {
  const host = new ModelProcessHost(options);
  using _ = options.signal && addAbortListener(options.signal, () => void host.close());
  await host.start();
  return host;
}

class ModelProcessHost implements ModelProcess {
  readonly name: string;
  readonly #options: ModelProcessOptions;
  readonly #limits: ProcessLimits;
  readonly #requests: RequestTable;
  readonly #closing = new AbortController();
  /** Wakes the requests that wait for a restart, when it is over or given up. */
  readonly #waiting = new Set<() => void>();
  #child: Child | undefined;
  #info: unknown;
  #state: ModelProcess["state"] = "starting";
  readonly #restarts: RestartLoop;
  #closed: Promise<void> | undefined;

  constructor(options: ModelProcessOptions) {
    this.name = options.name;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#restarts = new RestartLoop({
      ...this.#limits,
      name: this.name,
      log: options.log,
      signal: this.#closing.signal,
    });
    this.#requests = new RequestTable(this.#limits, {
      late: (id) => {
        options.log.warn({ engine: this.name }, "a request missed its deadline and was cancelled");
        this.#send({ type: "cancel", id });
      },
      stuck: () => this.#kill("it did not confirm the cancel of a request that missed its deadline"),
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get restarts(): number {
    return this.#restarts.count;
  }

  get state(): ModelProcess["state"] {
    return this.#state;
  }

  get info(): unknown {
    return this.#info;
  }

  async start(): Promise<void> {
    try {
      this.#adopt(await this.#fork());
    } catch (error) {
      this.#state = "failed";
      throw error;
    }
  }

  async call<Result>(method: string, payload: unknown, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.#state === "restarting") await this.#restarted(signal);
    return await new Promise<Result>((resolve, reject) => {
      const ended = (): void => onAbort[Symbol.dispose]();
      const id = this.#request(
        {
          item: () => undefined,
          // oxlint-disable-next-line no-unsafe-type-assertion -- the caller names the type its own worker returns
          done: (value) => (ended(), resolve(value as Result)),
          fail: (error) => (ended(), reject(error)),
          blockedByReader: () => false,
        },
        (requestId) => ({ type: "call", id: requestId, method, payload }),
      );
      const onAbort = addAbortListener(signal, () => {
        reject(signal.reason);
        this.#send({ type: "cancel", id });
      });
    });
  }

  async *stream<Result>(method: string, payload: unknown, signal: AbortSignal): AsyncIterable<Result> {
    signal.throwIfAborted();
    if (this.#state === "restarting") await this.#restarted(signal);
    const queue = new AsyncQueue<Result>();
    const credit = this.#limits.streamItems;
    let answered = false;
    const id = this.#request(
      {
        // oxlint-disable-next-line no-unsafe-type-assertion -- the caller names the type its own worker returns
        item: (value) => queue.push(value as Result),
        done: () => ((answered = true), queue.end()),
        fail: (error) => ((answered = true), queue.fail(error)),
        blockedByReader: () => queue.size > 0,
      },
      (requestId) => ({ type: "stream", id: requestId, method, payload, credit }),
    );
    const cancel = (): void => {
      if (!answered) this.#send({ type: "cancel", id });
    };
    using _ = addAbortListener(signal, () => {
      queue.fail(signal.reason);
      cancel();
    });
    try {
      let taken = 0;
      for await (const item of queue) {
        yield item;
        taken += 1;
        if (taken < credit / 2) continue;
        this.#send({ type: "credit", id, count: taken });
        taken = 0;
      }
    } finally {
      cancel();
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#state = "closed";
    this.#closing.abort(new OakError(`The ${this.name} is closed.`, { code: "ENGINE_UNAVAILABLE" }));
    this.#requests.failAll(this.#unavailable());
    this.#wakeWaiting();
    const child = this.#child;
    if (child === undefined) return;
    child.send({ type: "close" });
    const timer = setTimeout(() => child.kill(), this.#limits.closeMs);
    await child.exited;
    clearTimeout(timer);
  }

  #request(request: PendingRequest, message: (id: number) => ToWorker): number {
    if (this.#child === undefined || this.#state !== "ready") throw this.#unavailable();
    if (this.#requests.full) throw this.#busy();
    const id = this.#requests.add(request);
    try {
      this.#child.send(message(id));
    } catch (error) {
      this.#requests.remove(id);
      throw error;
    }
    return id;
  }

  #send(message: ToWorker): void {
    if (this.#state === "ready") this.#child?.send(message);
  }

  /** Resolves when the restart under way is over, the time for it is up, or the process was closed. */
  async #restarted(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#limits.maxPending) throw this.#busy();
    let wake!: () => void;
    const over = new Promise<void>((resolve) => (wake = resolve));
    const timer = setTimeout(wake, this.#limits.restartWaitMs);
    this.#waiting.add(wake);
    using _ = addAbortListener(signal, wake);
    await over;
    clearTimeout(timer);
    this.#waiting.delete(wake);
    signal.throwIfAborted();
  }

  #wakeWaiting(): void {
    for (const wake of this.#waiting) wake();
  }

  #busy(): OakError {
    const text = `The ${this.name} has ${String(this.#limits.maxPending)} requests waiting already; try again later.`;
    return new OakError(text, { code: "ENGINE_BUSY" });
  }

  #unavailable(): OakError {
    const closed = this.#state === "closed";
    const message = closed ? `The ${this.name} is closed.` : `The ${this.name} is restarting; try again in a moment.`;
    return new OakError(message, { code: "ENGINE_UNAVAILABLE", ...(closed && { retryable: false }) });
  }

  #fork(): Promise<Child> {
    const { name, model, worker, init } = this.#options;
    const remedy = this.#options.remedy ?? "Install the model again, or configure another one.";
    return startChild({ name, model, worker, init, startMs: this.#limits.startMs, remedy }, this.#closing.signal);
  }

  #adopt(child: Child): void {
    this.#child = child;
    this.#info = child.info;
    this.#state = "ready";
    child.onMessage((message: FromWorker) => this.#requests.deliver(message));
    const unwatch = watchHealth(child, this.#limits.pingEveryMs, this.#limits.pingMs, () =>
      this.#kill("it answered no ping"),
    );
    void this.#watchExit(child, unwatch, performance.now());
    this.#wakeWaiting();
  }

  async #watchExit(child: Child, unwatch: () => void, readyAtMs: number): Promise<void> {
    const how = await child.exited;
    unwatch();
    this.#restarts.ended(performance.now() - readyAtMs);
    this.#child = undefined;
    if (this.#state === "closed") return;
    this.#state = "restarting";
    this.#options.log.warn(
      { engine: this.name, how, restarts: this.#restarts.count },
      "model process ended, restarting",
    );
    const message = `The ${this.name} stopped in the middle of this request (${how}) and is being restarted; try again.`;
    this.#requests.failAll(new OakError(message, { code: "ENGINE_CRASHED" }));
    void this.#restart();
  }

  async #restart(): Promise<void> {
    const child = await this.#restarts.run(() => this.#fork());
    if (child !== undefined) this.#adopt(child);
  }

  #kill(why: string): void {
    this.#options.log.warn({ engine: this.name, why }, "killing the model process");
    this.#child?.kill();
  }
}

import { OakError } from "../shared/errors.ts";
import type { FromWorker } from "./messages.ts";

/** Takes the child's answers to one request. */
export interface PendingRequest {
  item(value: unknown): void;
  done(value: unknown): void;
  fail(error: unknown): void;
  /** True when the child waits for the reader. The deadline does not apply then. */
  blockedByReader(): boolean;
}

export interface RequestLimits {
  readonly maxPending: number;
  readonly requestMs: number;
  readonly cancelMs: number;
}

export interface RequestTableEvents {
  /** The request missed its deadline and has failed. Cancel it in the child. */
  late(id: number): void;
  /** The child did not confirm that cancel either. */
  stuck(): void;
}

interface Entry {
  readonly request: PendingRequest;
  timer: NodeJS.Timeout;
}

/**
 * Requests that one child has not answered yet. An aborted request stays until the child confirms the abort, so that the
 * limit covers all work in the child. A request that misses its deadline fails alone. The child counts as stuck only when it
 * does not confirm the cancel either.
 */
export class RequestTable {
  readonly #entries = new Map<number, Entry>();
  readonly #limits: RequestLimits;
  readonly #events: RequestTableEvents;
  #nextId = 1;

  constructor(limits: RequestLimits, events: RequestTableEvents) {
    this.#limits = limits;
    this.#events = events;
  }

  get full(): boolean {
    return this.#entries.size >= this.#limits.maxPending;
  }

  add(request: PendingRequest): number {
    const id = this.#nextId++;
    this.#entries.set(id, { request, timer: startTimer(() => this.#expire(id), this.#limits.requestMs) });
    return id;
  }

  remove(id: number): PendingRequest | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    clearTimeout(entry.timer);
    this.#entries.delete(id);
    return entry.request;
  }

  /** Answers to unknown ids are dropped. */
  deliver(message: FromWorker): void {
    if (message.type === "item") {
      const entry = this.#entries.get(message.id);
      entry?.timer.refresh();
      entry?.request.item(message.value);
    } else if (message.type === "done") {
      this.remove(message.id)?.done(message.value);
    } else if (message.type === "error") {
      const { message: text, code } = message.error;
      this.remove(message.id)?.fail(new OakError(text, { code }));
    }
  }

  failAll(error: OakError): void {
    for (const id of this.#entries.keys()) this.remove(id)?.fail(error);
  }

  #expire(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (entry.request.blockedByReader()) {
      entry.timer.refresh();
      return;
    }
    const message = `The model process gave no answer within ${String(this.#limits.requestMs / 1000)} s; try again.`;
    entry.request.fail(new OakError(message, { code: "ENGINE_TIMEOUT" }));
    entry.timer = startTimer(() => this.#events.stuck(), this.#limits.cancelMs);
    this.#events.late(id);
  }
}

function startTimer(callback: () => void, delayMs: number): NodeJS.Timeout {
  return setTimeout(callback, delayMs).unref();
}

import { OakError } from "../shared/errors.ts";
import type { FromWorker } from "./messages.ts";

/** How one waiting request takes the child's answers. */
export interface PendingRequest {
  item(value: unknown): void;
  done(value: unknown): void;
  fail(error: unknown): void;
  /** True when the child waits for the reader, so that its silence is not the child's fault. */
  blockedByReader(): boolean;
}

interface Entry {
  readonly request: PendingRequest;
  readonly timer: NodeJS.Timeout;
}

/**
 * Requests sent to one child and not yet answered. An aborted request stays until the child confirms it, so that the
 * bound covers all work the child holds, and a child that ignores a cancel runs into the deadline.
 */
export class RequestTable {
  readonly #entries = new Map<number, Entry>();
  readonly #maxPending: number;
  readonly #deadlineMs: number;
  readonly #onDeadline: () => void;
  #nextId = 1;

  constructor(maxPending: number, deadlineMs: number, onDeadline: () => void) {
    this.#maxPending = maxPending;
    this.#deadlineMs = deadlineMs;
    this.#onDeadline = onDeadline;
  }

  get full(): boolean {
    return this.#entries.size >= this.#maxPending;
  }

  add(request: PendingRequest): number {
    const id = this.#nextId++;
    const timer = setTimeout(() => this.#expire(id), this.#deadlineMs);
    timer.unref();
    this.#entries.set(id, { request, timer });
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
      const { message: text, code, retryable } = message.error;
      this.remove(message.id)?.fail(new OakError(text, { code, retryable }));
    }
  }

  failAll(error: OakError): void {
    for (const id of this.#entries.keys()) this.remove(id)?.fail(error);
  }

  #expire(id: number): void {
    const entry = this.#entries.get(id);
    if (entry?.request.blockedByReader()) {
      entry.timer.refresh();
      return;
    }
    const message = `The model process gave no answer within ${String(this.#deadlineMs / 1000)} s and is being restarted; try again.`;
    this.remove(id)?.fail(new OakError(message, { code: "ENGINE_TIMEOUT", retryable: true }));
    this.#onDeadline();
  }
}

import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import type { WorkerHandlers } from "./model-process.ts";
import type { FromWorker, ToWorker, WireError } from "./messages.ts";

/**
 * Signals that a terminal or a service manager may send to the whole process group, and that would end or stop the child.
 * SIGUSR1 would open Node's inspector on a port.
 */
const GROUP_SIGNALS = [
  "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGTSTP", "SIGTTIN", "SIGTTOU",
  "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGPWR",
] as const; // prettier-ignore

interface Running {
  readonly controller: AbortController;
  credit: number;
  /** Wakes a stream that waits for credit. */
  wake: (() => void) | undefined;
}

/**
 * The child's side: loads the model with `start`, then serves its handlers until the parent closes the channel.
 * Messages are trusted, because they come from this program's own parent: `start` and the handlers declare their types.
 */
// oxlint-disable-next-line no-unnecessary-type-parameters -- lets a caller name the type of what it sends itself
export function serveWorker<Init>(start: (init: Init) => Promise<WorkerHandlers>): void {
  if (process.send === undefined)
    throw new Error("This file is a model worker: it only runs as a child of the server.");
  // The parent decides when its children end.
  for (const signal of GROUP_SIGNALS) process.on(signal, () => undefined);
  // SIGKILL, because exit handlers of native libraries can hang.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

  let server: WorkerServer | undefined;
  process.on("message", (message: ToWorker) => {
    if (message.type !== "init") {
      server?.receive(message);
      return;
    }
    void load(message.init);
  });

  async function load(init: unknown): Promise<void> {
    try {
      const handlers = await start(trusted(init));
      server = new WorkerServer(handlers);
      send({ type: "ready", info: handlers.info });
    } catch (error) {
      send({ type: "failed", error: toWire(error) });
    }
  }
}

class WorkerServer {
  readonly #handlers: WorkerHandlers;
  readonly #running = new Map<number, Running>();

  constructor(handlers: WorkerHandlers) {
    this.#handlers = handlers;
  }

  receive(message: Exclude<ToWorker, { type: "init" }>): void {
    switch (message.type) {
      case "call":
        void this.#run(message.id, 0, async (running) => {
          const handler = find(this.#handlers.requests, message.method);
          const alive = (): void => send({ type: "item", id: message.id, value: undefined });
          return handler(trusted(message.payload), running.controller.signal, alive);
        });
        break;
      case "stream":
        void this.#run(message.id, message.credit, async (running) => {
          const handler = find(this.#handlers.streams, message.method);
          await pump(message.id, running, handler(trusted(message.payload), running.controller.signal));
        });
        break;
      case "credit":
        this.#grant(message.id, message.count);
        break;
      case "cancel":
        this.#running.get(message.id)?.controller.abort();
        this.#grant(message.id, 0);
        break;
      case "ping":
        send({ type: "pong" });
        break;
      case "close":
        void this.#close();
        break;
    }
  }

  async #run(id: number, credit: number, work: (running: Running) => Promise<unknown>): Promise<void> {
    const running: Running = { controller: new AbortController(), credit, wake: undefined };
    this.#running.set(id, running);
    try {
      send({ type: "done", id, value: await work(running) });
    } catch (error) {
      send({ type: "error", id, error: toWire(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #grant(id: number, count: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.credit += count;
    running.wake?.();
  }

  async #close(): Promise<void> {
    for (const { controller } of this.#running.values()) controller.abort();
    try {
      await this.#handlers.close?.();
    } finally {
      process.kill(process.pid, "SIGKILL");
    }
  }
}

/** Sends one item for each credit, so that a slow reader slows the model instead of filling memory. */
async function pump(id: number, running: Running, items: AsyncIterable<unknown>): Promise<void> {
  const { signal } = running.controller;
  for await (const value of items) {
    while (running.credit === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        running.wake = resolve;
      });
    }
    signal.throwIfAborted();
    running.credit -= 1;
    send({ type: "item", id, value });
  }
}

function find<Handler>(group: Readonly<Record<string, Handler>> | undefined, method: string): Handler {
  const handler = group !== undefined && Object.hasOwn(group, method) ? group[method] : undefined;
  if (handler === undefined)
    throw new OakError(`This worker has no method "${method}".`, { code: "ENGINE_METHOD_UNKNOWN" });
  return handler;
}

function trusted(value: unknown): never {
  // oxlint-disable-next-line no-unsafe-type-assertion -- see serveWorker
  return value as never;
}

function toWire(error: unknown): WireError {
  return {
    code: errorCode(error),
    message: errorMessage(error),
  };
}

function send(message: FromWorker): void {
  // The callback ignores the error of a closed channel: "disconnect" ends the process.
  process.send?.(message, undefined, undefined, () => undefined);
}

import { addAbortListener } from "node:events";
import { OakError } from "../../shared/errors.ts";
import type { TranscribeRequest } from "./speech-to-text.ts";

type Kind = TranscribeRequest["kind"];

interface Entry<Lane> {
  readonly caller: number;
  readonly kind: Kind;
  /** Aborted when the job must release its lane. */
  readonly stop: AbortController;
  readonly start: (lane: Lane) => Promise<void>;
  readonly moved: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Finals that may wait at the same time. Up to this number a final is never dropped. */
const MAX_QUEUED_FINALS = 256;

/**
 * Shares a few decoding lanes among many callers. A final waits for a lane and stops a partial to get one. A partial that cannot
 * start at once, or whose caller already has a job, is rejected with STT_BUSY. With several lanes, partials leave one free, so
 * that a final seldom waits for a partial to stop.
 */
export class LanePool<Lane extends string | number | object> {
  readonly #idle: Lane[];
  readonly #maxPartials: number;
  readonly #queue: Entry<Lane>[] = [];
  readonly #running = new Set<Entry<Lane>>();

  constructor(lanes: readonly Lane[]) {
    this.#idle = [...lanes];
    this.#maxPartials = Math.max(1, lanes.length - 1);
  }

  /**
   * Runs `job` on a lane. `job` must settle soon after its own signal aborts; the promise returned here rejects with
   * `signal.reason` at once, while the lane stays occupied until the job settles. While the job waits, `moved` is called whenever a
   * lane is released.
   */
  run<Result>(
    caller: number,
    kind: Kind,
    signal: AbortSignal,
    job: (lane: Lane, signal: AbortSignal) => Promise<Result>,
    moved: () => void = () => undefined,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      signal.throwIfAborted();
      const stop = new AbortController();
      const start = async (lane: Lane): Promise<void> => {
        try {
          resolve(await job(lane, stop.signal));
        } catch (error) {
          reject(error);
        } finally {
          onAbort[Symbol.dispose]();
        }
      };
      const entry: Entry<Lane> = { caller, kind, stop, start, moved, reject };
      this.#admit(entry);
      const onAbort = addAbortListener(signal, () => this.#stop(entry, signal.reason));
      this.#next();
    });
  }

  #admit(entry: Entry<Lane>): void {
    if (entry.kind === "partial") {
      // A job that was stopped is about to give its lane back. Another lane may be idle.
      const mine = [...this.#running, ...this.#queue].some(
        ({ caller, stop }) => caller === entry.caller && !stop.signal.aborted,
      );
      const partials = [...this.#running].filter(({ kind }) => kind === "partial").length;
      if (mine || partials >= this.#maxPartials || this.#idle.length === 0 || this.#queue.length > 0)
        throw busy("Speech recognition is busy; this partial was dropped.");
    } else if (this.#queue.length >= MAX_QUEUED_FINALS) {
      throw new OakError("Too many callers wait for speech recognition; allow more at once, or fewer sessions.", {
        code: "STT_OVERLOADED",
      });
    }
    this.#queue.push(entry);
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const lane = this.#idle.pop();
      if (lane === undefined) {
        this.#preempt();
        return;
      }
      const entry = this.#queue.shift();
      if (entry !== undefined) void this.#occupy(lane, entry);
    }
  }

  async #occupy(lane: Lane, entry: Entry<Lane>): Promise<void> {
    this.#running.add(entry);
    await entry.start(lane);
    this.#running.delete(entry);
    this.#idle.push(lane);
    for (const { moved } of this.#queue) moved();
    this.#next();
  }

  /** Stops as many partials as finals are waiting, the youngest first. */
  #preempt(): void {
    const freeing = [...this.#running].filter(({ stop }) => stop.signal.aborted).length;
    const partials = [...this.#running].filter(({ kind, stop }) => kind === "partial" && !stop.signal.aborted);
    for (const entry of partials.toReversed().slice(0, Math.max(0, this.#queue.length - freeing))) {
      this.#stop(entry, busy("A final took the lane of this partial."));
    }
  }

  #stop(entry: Entry<Lane>, reason: unknown): void {
    entry.reject(reason);
    const waiting = this.#queue.indexOf(entry);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
    entry.stop.abort(reason);
  }
}

function busy(message: string): OakError {
  return new OakError(message, { code: "STT_BUSY" });
}

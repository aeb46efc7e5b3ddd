import { addAbortListener } from "node:events";
import type { OakError } from "../shared/errors.ts";

interface Waiting<Slot> {
  readonly start: (slot: Slot) => void;
  readonly moved: () => void;
}

/** Gives a few slots to jobs, in order of arrival. An aborted job leaves the queue at once. */
export class Slots<Slot extends string | number | object> {
  readonly #idle: Slot[];
  readonly #waiting = new Set<Waiting<Slot>>();
  readonly #maxWaiting: number;
  readonly #full: () => OakError;

  /** @param full Makes the error of a job that comes while `maxWaiting` jobs wait. */
  constructor(slots: readonly Slot[], maxWaiting: number, full: () => OakError) {
    this.#idle = [...slots];
    this.#maxWaiting = maxWaiting;
    this.#full = full;
  }

  get idle(): number {
    return this.#idle.length;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Starts `job` at once when a slot is idle. The slot is taken until the job settles. While the job waits, `moved` is called
   * whenever a slot is given back, and an abort rejects with the signal's reason.
   */
  async run<Result>(
    job: (slot: Slot) => Promise<Result>,
    signal: AbortSignal,
    moved: () => void = () => undefined,
  ): Promise<Result> {
    signal.throwIfAborted();
    const slot = this.#idle.pop() ?? (await this.#turn(signal, moved));
    try {
      signal.throwIfAborted();
      return await job(slot);
    } finally {
      this.#release(slot);
    }
  }

  #turn(signal: AbortSignal, moved: () => void): Promise<Slot> {
    if (this.#waiting.size >= this.#maxWaiting) throw this.#full();
    return new Promise<Slot>((resolve, reject) => {
      const waiting: Waiting<Slot> = {
        start: (slot) => {
          onAbort[Symbol.dispose]();
          resolve(slot);
        },
        moved,
      };
      const onAbort = addAbortListener(signal, () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      });
      this.#waiting.add(waiting);
    });
  }

  #release(slot: Slot): void {
    for (const { moved } of this.#waiting) moved();
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#idle.push(slot);
      return;
    }
    this.#waiting.delete(next);
    next.start(slot);
  }
}

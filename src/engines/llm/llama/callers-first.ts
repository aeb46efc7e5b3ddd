import { setTimeout as sleep } from "node:timers/promises";

/** A request without progress fails, so one that pauses says that it lives. */
const SIGN_OF_LIFE_MS = 1_000;

/** Lets background work go on only between the requests of callers. It stops within one piece: a token, or a chunk of the prompt. */
export class CallersFirst {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** The pieces of a caller's request. */
  async *during<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    this.#running += 1;
    try {
      yield* pieces;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) for (const wake of this.#waiting) wake();
    }
  }

  /** The pieces of background work. Yields "" while it pauses. */
  async *between<Piece>(pieces: AsyncIterable<Piece>, signal: AbortSignal): AsyncGenerator<Piece | ""> {
    const iterator = pieces[Symbol.asyncIterator]();
    try {
      for (;;) {
        while (this.#running > 0) {
          await this.#pause(signal);
          signal.throwIfAborted();
          yield "";
        }
        const { value, done } = await iterator.next();
        if (done === true) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    let wake!: () => void;
    const idle = new Promise<void>((resolve) => (wake = resolve));
    this.#waiting.add(wake);
    const longest = sleep(SIGN_OF_LIFE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    await Promise.race([idle, longest]);
    this.#waiting.delete(wake);
  }
}

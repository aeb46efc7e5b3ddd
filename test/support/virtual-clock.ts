import type { Clock } from "../../src/shared/clock.ts";

/** Time that moves only by `advance`. Timers fire in order of their due time. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Resolves after `delayMs`. Rejects with the signal's reason. */
  passed(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.after(delayMs, () => {
        signal.removeEventListener("abort", abort);
        resolve();
      });
      const abort = () => {
        cancel();
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = endMs;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }
}

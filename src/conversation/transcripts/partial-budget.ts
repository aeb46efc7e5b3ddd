import type { Clock } from "../../shared/clock.ts";

/** Share of one core per caller. */
const SHARE = 0.5;

/**
 * Limits a caller's partials to half of one core, over all turns and sounds over replies. After a decode that took a second of one
 * core, the next one starts two seconds after the start of that one. A decode pays for its wait for a core as well, so partials
 * become fewer when the machine is busy.
 */
export class PartialBudget {
  readonly #clock: Clock;
  readonly #threads: number;
  #freeFromMs = -Infinity;
  #running = 0;

  /** `threads`: CPU threads that one decode keeps busy. */
  constructor(clock: Clock, threads: number) {
    this.#clock = clock;
    this.#threads = threads;
  }

  get isFree(): boolean {
    return this.#running === 0 && this.#clock.nowMs() >= this.#freeFromMs;
  }

  /** Call when a decode starts, free or not. Call the returned function once, when the decode has ended in any way. */
  begin(): () => void {
    const startMs = this.#clock.nowMs();
    this.#running += 1;
    return () => {
      this.#running -= 1;
      const spentMs = (this.#clock.nowMs() - startMs) * this.#threads;
      this.#freeFromMs = Math.max(this.#freeFromMs, startMs) + spentMs / SHARE;
    };
  }
}

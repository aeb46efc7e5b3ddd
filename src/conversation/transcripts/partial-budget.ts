import type { Clock } from "../../shared/clock.ts";

/** Of one core, for one caller. */
const SHARE = 0.5;

/**
 * Keeps a caller's partials to half of one core, over all its turns and sounds over replies: after a decode that took a
 * second of one core, the next one starts two seconds after that one did at the earliest. A decode that waits for a core pays for the wait
 * as well, so partials give way when the machine is busy.
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

  /** Call when a decode starts, free or not; call what it returns once, when it has ended, however it ended. */
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

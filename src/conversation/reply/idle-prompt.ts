import type { Clock } from "../../shared/clock.ts";

/** Waits for a caller who stays silent after a reply. */
export class IdlePrompt {
  readonly #clock: Clock;
  readonly #onIdle: (idleMs: number) => void;
  #cancel = () => {};

  constructor(clock: Clock, signal: AbortSignal, onIdle: (idleMs: number) => void) {
    this.#clock = clock;
    this.#onIdle = onIdle;
    signal.addEventListener("abort", () => this.stop(), { once: true });
  }

  /** A reply was played to its end. 0: never. */
  start(idleMs: number): void {
    this.stop();
    if (idleMs > 0) this.#cancel = this.#clock.after(idleMs, () => this.#onIdle(idleMs));
  }

  /** The caller speaks, or another reply begins. */
  stop(): void {
    this.#cancel();
  }
}

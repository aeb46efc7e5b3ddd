import type { Clock } from "../../shared/clock.ts";

/** Reports that a silence has lasted for a given time. */
export class SilenceTimer {
  readonly #clock: Clock;
  readonly #onSilence: (silentMs: number) => void;
  #cancel = () => {};

  constructor(clock: Clock, signal: AbortSignal, onSilence: (silentMs: number) => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
    signal.addEventListener("abort", () => this.stop(), { once: true });
  }

  /** A reply was played to its end. 0: never. */
  start(silentMs: number): void {
    this.stop();
    if (silentMs > 0) this.#cancel = this.#clock.after(silentMs, () => this.#onSilence(silentMs));
  }

  /** The caller speaks, or another reply begins. */
  stop(): void {
    this.#cancel();
  }
}

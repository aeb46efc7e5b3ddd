import { CALL_BYTES_PER_MS } from "../format.ts";

/** A shorter run of chunks does not show the client's clock. */
const LEAST_MS = 1400;
const LEAST_CHUNKS = 6;
/** A pause of this many ordinary intervals ends a run: client or network stopped. */
const LONGEST_INTERVALS = 2.5;
/** Largest difference between the paces of the two halves of a run. */
const STEADY = 0.04;

/** Estimates how fast a client sends from bytes that arrive at a steady pace, as from a microphone. */
export class ArrivalPace {
  #size = 0;
  #startMs = 0;
  #lastMs = 0;
  #bytes = 0;
  #chunks = 0;
  #middle: { readonly atMs: number; readonly bytes: number } | undefined;

  push(bytes: number, nowMs: number): void {
    const interval = nowMs - this.#lastMs;
    const usual = this.#chunks === 0 ? Infinity : (this.#lastMs - this.#startMs) / this.#chunks;
    this.#lastMs = nowMs;
    const breaks = this.#chunks >= 2 && interval > Math.max(20, LONGEST_INTERVALS * usual);
    if (breaks || bytes !== this.#size) {
      this.#size = bytes;
      this.#startMs = nowMs;
      this.#bytes = 0;
      this.#chunks = 0;
      this.#middle = undefined;
      return;
    }
    this.#chunks += 1;
    this.#bytes += bytes;
    if (this.#middle === undefined && nowMs - this.#startMs >= LEAST_MS / 2)
      this.#middle = { atMs: nowMs, bytes: this.#bytes };
  }

  /** Pace relative to real time at 24 kHz PCM. Undefined while it is unknown or unsteady. */
  get value(): number | undefined {
    const elapsed = this.#lastMs - this.#startMs;
    if (this.#middle === undefined || elapsed < LEAST_MS || this.#chunks < LEAST_CHUNKS) return undefined;
    const { atMs, bytes } = this.#middle;
    const first = bytes / (atMs - this.#startMs);
    const second = (this.#bytes - bytes) / (this.#lastMs - atMs);
    if (Math.abs(second / first - 1) > STEADY) return undefined;
    return this.#bytes / elapsed / CALL_BYTES_PER_MS;
  }
}

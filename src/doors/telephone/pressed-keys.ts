import type { Clock } from "../../shared/clock.ts";
import { TokenBucket } from "../../shared/token-bucket.ts";

/** Silence of the keys after which an entry is complete. People look up the next digits of a number in less. */
const ENTRY_ENDS_MS = 2_000;
const MOST_KEYS = 32;
const END_KEY = "#";
/** A telephone that dials a stored number sends up to 12 keys a second. */
const KEYS_AT_ONCE = 16;
const KEYS_PER_SECOND = 15;
/** Each entry stops the reply and asks the language model. */
const ENTRIES_AT_ONCE = 3;
const ENTRIES_PER_SECOND = 0.25;
/** Entries that wait. A caller who knows a menu by heart presses fewer. */
const MOST_WAITING = 8;

/**
 * Collects the keys that a caller presses into entries, such as a customer number. `#` ends an entry at once. Entries that come faster
 * than the language model may be asked wait, and are reported together.
 */
export class PressedKeys {
  readonly #clock: Clock;
  readonly #onEntries: (entries: readonly string[]) => void;
  readonly #onFlood: () => void;
  readonly #keyRate: TokenBucket;
  readonly #entryRate: TokenBucket;
  #keys = "";
  readonly #waiting: string[] = [];
  #cancelTimer = () => {};
  #cancelWait = () => {};

  /** `onFlood`: keys that came faster than a person presses them were dropped. */
  constructor(clock: Clock, onEntries: (entries: readonly string[]) => void, onFlood: () => void) {
    this.#clock = clock;
    this.#onEntries = onEntries;
    this.#onFlood = onFlood;
    this.#keyRate = new TokenBucket(KEYS_AT_ONCE, KEYS_PER_SECOND, clock.nowMs());
    this.#entryRate = new TokenBucket(ENTRIES_AT_ONCE, ENTRIES_PER_SECOND, clock.nowMs());
  }

  get isEmpty(): boolean {
    return this.#keys === "";
  }

  press(key: string): void {
    if (!this.#keyRate.take(1, this.#clock.nowMs())) return this.#onFlood();
    this.#cancelTimer();
    const ends = key === END_KEY && !this.isEmpty;
    if (!ends) this.#keys += key;
    if (ends || this.#keys.length >= MOST_KEYS) this.#complete();
    else this.#cancelTimer = this.#clock.after(ENTRY_ENDS_MS, () => this.#complete());
  }

  close(): void {
    this.#cancelTimer();
    this.#cancelWait();
  }

  #complete(): void {
    const keys = this.#keys;
    this.#keys = "";
    if (this.#waiting.length >= MOST_WAITING) return this.#onFlood();
    this.#waiting.push(keys);
    this.#report();
  }

  #report(): void {
    this.#cancelWait();
    const nowMs = this.#clock.nowMs();
    if (this.#entryRate.take(1, nowMs)) this.#onEntries(this.#waiting.splice(0));
    else this.#cancelWait = this.#clock.after(this.#entryRate.waitMs(1, nowMs), () => this.#report());
  }
}

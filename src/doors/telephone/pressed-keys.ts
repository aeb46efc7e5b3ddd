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

/** Collects the keys that a caller presses into entries, such as a customer number. `#` ends an entry at once. */
export class PressedKeys {
  readonly #clock: Clock;
  readonly #onEntry: (keys: string) => void;
  readonly #onFlood: () => void;
  readonly #keyRate: TokenBucket;
  readonly #entryRate: TokenBucket;
  #keys = "";
  #cancelTimer = () => {};

  /** `onFlood`: keys that came faster than a person presses them were dropped. */
  constructor(clock: Clock, onEntry: (keys: string) => void, onFlood: () => void) {
    this.#clock = clock;
    this.#onEntry = onEntry;
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
  }

  #complete(): void {
    const keys = this.#keys;
    this.#keys = "";
    if (this.#entryRate.take(1, this.#clock.nowMs())) this.#onEntry(keys);
    else this.#onFlood();
  }
}

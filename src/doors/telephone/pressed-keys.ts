import type { Clock } from "../../shared/clock.ts";

/** Silence of the keys after which an entry is complete. People look up the next digits of a number in less. */
const ENTRY_ENDS_MS = 2_000;
const MOST_KEYS = 32;
const END_KEY = "#";

/** Collects the keys that a caller presses into entries, such as a customer number. `#` ends an entry at once. */
export class PressedKeys {
  readonly #clock: Clock;
  readonly #onEntry: (keys: string) => void;
  #keys = "";
  #cancelTimer = () => {};

  constructor(clock: Clock, onEntry: (keys: string) => void) {
    this.#clock = clock;
    this.#onEntry = onEntry;
  }

  get isEmpty(): boolean {
    return this.#keys === "";
  }

  press(key: string): void {
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
    this.#onEntry(keys);
  }
}

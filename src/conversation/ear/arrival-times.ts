const EPOCH_PART_MS = 2000;
/** A late network is remembered for one to two such parts. */
const JITTER_PART_MS = 10_000;

/** Minimum of the last one to two parts. Older values must be forgotten, because the stream may have had a gap. */
class RecentLeast {
  readonly #partMs: number;
  #before: number | undefined;
  #now: number | undefined;
  #partEndsMs: number;

  constructor(partMs: number) {
    this.#partMs = partMs;
    this.#partEndsMs = partMs;
  }

  get least(): number | undefined {
    return this.#before === undefined || this.#now === undefined
      ? (this.#now ?? this.#before)
      : Math.min(this.#before, this.#now);
  }

  add(value: number, atMs: number): void {
    if (atMs >= this.#partEndsMs) {
      this.#before = this.#now;
      this.#now = undefined;
      this.#partEndsMs = atMs + this.#partMs;
    }
    this.#now = Math.min(this.#now ?? Infinity, value);
  }
}

/** Estimates from the arrivals of the caller's audio when session time began, and how late audio may come. */
export class ArrivalTimes {
  #epoch = new RecentLeast(EPOCH_PART_MS);
  /** How early recent audio came, in ms: 0, or negative for late audio. */
  readonly #earliness = new RecentLeast(JITTER_PART_MS);

  /** Audio until `heardMs` of session time arrived at `nowMs` of the clock. */
  add(nowMs: number, heardMs: number): void {
    this.#epoch.add(nowMs - heardMs, heardMs);
    this.#earliness.add((this.#epoch.least ?? 0) - (nowMs - heardMs), heardMs);
  }

  /** Clock time of session time 0, by the recent audio with the least delay. Undefined before the first audio. */
  get epochMs(): number | undefined {
    return this.#epoch.least;
  }

  /** How much later than the earliest audio the latest recent audio came, in ms. */
  get jitterMs(): number {
    return Math.max(0, -(this.#earliness.least ?? 0));
  }

  /** The next audio comes after a gap that session time does not have. */
  restart(): void {
    this.#epoch = new RecentLeast(EPOCH_PART_MS);
  }
}

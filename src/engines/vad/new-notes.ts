import { BIN_HZ } from "../../audio/spectral-peaks.ts";

/** A telephone carries no higher frequencies. */
const FIRST_BIN = Math.round(125 / BIN_HZ);
const LAST_BIN = Math.round(4000 / BIN_HZ);
/** A peak is larger than this many bins on each side, and than `PROMINENCE` times the mean of `AROUND` bins on each side. */
const SIDE = 2;
const AROUND = 15;
const PROMINENCE = 4;
/** A note is new when its pitch had no peak this many windows (1 s) before. A machine's pitch stays. */
const EARLIER_WINDOWS = 8;
/** Notes are counted over this many windows: 3 s. */
const WINDOWS = 24;

/**
 * Counts the notes that begin. A note keeps its pitch from one window to the next, which a voice seldom does. It was not there a second
 * before, as the hum of a machine is (docs/decisions/0105-tones.md). Holds its buffers. One caller.
 */
export class NewNotes {
  /** Bit n of a frequency: it was a peak n windows ago. */
  readonly #peaks = new Uint16Array(LAST_BIN + 2);
  readonly #begun = new Uint8Array(WINDOWS);
  #window = 0;
  #count = 0;

  /** New notes in the last 3 s. A note counts once for each window of its first second. */
  get count(): number {
    return this.#count;
  }

  /** `power`: spectrum of the next 128 ms. Windows do not overlap. */
  hear(power: Float64Array): void {
    for (let bin = FIRST_BIN - 1; bin <= LAST_BIN + 1; bin++) this.#peaks[bin]! <<= 1;
    let begun = 0;
    let around = 0;
    for (let bin = FIRST_BIN - AROUND - 1; bin < FIRST_BIN + AROUND; bin++) around += power[bin]!;
    for (let bin = FIRST_BIN; bin <= LAST_BIN; bin++) {
      around += power[bin + AROUND]! - power[bin - AROUND - 1]!;
      if (!isPeak(power, bin, (PROMINENCE * around) / (2 * AROUND + 1))) continue;
      this.#peaks[bin]! |= 1;
      const before = this.#peaks[bin - 1]! | this.#peaks[bin]! | this.#peaks[bin + 1]!;
      if ((before & 2) !== 0 && (before & (1 << EARLIER_WINDOWS)) === 0) begun += 1;
    }
    const at = this.#window % WINDOWS;
    this.#count += begun - this.#begun[at]!;
    this.#begun[at] = begun;
    this.#window += 1;
  }
}

function isPeak(power: Float64Array, bin: number, least: number): boolean {
  const peak = power[bin]!;
  if (peak <= least) return false;
  for (let side = 1; side <= SIDE; side++) if (power[bin - side]! > peak || power[bin + side]! > peak) return false;
  return true;
}

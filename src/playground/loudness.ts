const FRAME = 240;
/** A frame is speech if it is within this of the loudest frame, dB, ... */
const BELOW_PEAK_DB = 30;
/** ... and this far above the noise floor, dB. */
const OVER_FLOOR_DB = 9;

/** Finds the caller's last loud sample, from which an answer's delay counts. Pure. */
export class Loudness {
  #peakDb = -50;
  #floorDb = -60;
  #lastLoudMs = -Infinity;

  /** Time of the caller's last loud frame, on the clock of `add`. */
  get lastLoudMs(): number {
    return this.#lastLoudMs;
  }

  /** @param samples 24 kHz. @param endMs Time of the last one. @returns The loudest frame's level, dBFS. */
  add(samples: Float32Array, endMs: number): number {
    let loudestDb = -100;
    for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
      const db = levelDb(samples.subarray(at, at + FRAME));
      loudestDb = Math.max(loudestDb, db);
      // The peak falls by 1 dB a second, so that one cough does not set it for long. The floor rises as slowly.
      this.#peakDb = Math.max(db, this.#peakDb - 0.01, -50);
      this.#floorDb = Math.max(-90, Math.min(db, this.#floorDb + 0.01));
      if (db > Math.max(this.#peakDb - BELOW_PEAK_DB, this.#floorDb + OVER_FLOOR_DB))
        this.#lastLoudMs = endMs - (samples.length - at - FRAME) / 24;
    }
    return loudestDb;
  }
}

function levelDb(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / samples.length + 1e-10);
}

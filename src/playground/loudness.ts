const FRAME = 240;
/** Speech is what comes this near to the loudest, dB, */
const BELOW_PEAK_DB = 30;
/** and stands this far out of the room. */
const OVER_FLOOR_DB = 9;

/** Finds the last loud sample of the caller in what is sent: where an answer's delay begins. Pure. */
export class Loudness {
  #peakDb = -50;
  #floorDb = -60;
  #lastLoudMs = -Infinity;

  /** Of the caller's last loud frame, in the time of `add`. */
  get lastLoudMs(): number {
    return this.#lastLoudMs;
  }

  /** @param samples 24 kHz. @param endMs When the last one was spoken. Returns the loudest frame's level, dBFS. */
  add(samples: Float32Array, endMs: number): number {
    let loudestDb = -100;
    for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
      const db = levelDb(samples.subarray(at, at + FRAME));
      loudestDb = Math.max(loudestDb, db);
      // The peak sinks by 1 dB a second, so that one cough is not the measure for ever; the floor rises as slowly.
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

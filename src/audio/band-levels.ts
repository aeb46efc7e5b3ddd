/** A coarse picture of a sound: the level of eight bands every 10 ms, at 16 kHz. */

export const BANDS = 8;
/** Samples between two rows of levels: 10 ms. */
export const HOP_SAMPLES = 160;
/** Levels below this are reported as this, dB relative to full scale. */
export const FLOOR_DB = -90;

const SIZE = 256;
/** Hz; a voice over a loudspeaker has little outside of this. */
const LOWEST_HZ = 200;
const HIGHEST_HZ = 6400;
const BIN_HZ = 16_000 / SIZE;

/** First FFT bin of each band, and the end of the last: evenly spaced in log frequency. */
const EDGES = Array.from({ length: BANDS + 1 }, (_, band) =>
  Math.round((LOWEST_HZ * (HIGHEST_HZ / LOWEST_HZ) ** (band / BANDS)) / BIN_HZ),
);
const WINDOW = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));
const COS = Float64Array.from({ length: SIZE / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / SIZE));
const SIN = Float64Array.from({ length: SIZE / 2 }, (_, i) => Math.sin((2 * Math.PI * i) / SIZE));

/** Cuts a stream into rows of band levels. */
export class BandLevels {
  readonly #history = new Float64Array(SIZE);
  readonly #re = new Float64Array(SIZE);
  readonly #im = new Float64Array(SIZE);
  readonly #levels = new Float32Array(BANDS);
  #fresh = 0;

  /** Calls `row` for every 10 ms that `samples` (16 kHz) complete, in order; the row is overwritten by the next. */
  push(samples: Float32Array, row: (levelsDb: Float32Array) => void): void {
    const levels = this.#levels;
    for (let at = 0; at < samples.length;) {
      const count = Math.min(HOP_SAMPLES - this.#fresh, samples.length - at);
      this.#history.copyWithin(0, count);
      for (let i = 0; i < count; i++) this.#history[SIZE - count + i] = samples[at + i]!;
      at += count;
      this.#fresh += count;
      if (this.#fresh < HOP_SAMPLES) return;
      this.#fresh = 0;
      this.#measure(levels);
      row(levels);
    }
  }

  #measure(levels: Float32Array): void {
    const re = this.#re;
    const im = this.#im;
    for (let i = 0; i < SIZE; i++) re[i] = this.#history[i]! * WINDOW[i]!;
    im.fill(0);
    fft(re, im);
    for (let band = 0; band < BANDS; band++) {
      let power = 0;
      for (let bin = EDGES[band]!; bin < EDGES[band + 1]!; bin++) power += re[bin]! ** 2 + im[bin]! ** 2;
      levels[band] = Math.max(FLOOR_DB, 10 * Math.log10((power * 4) / (SIZE * SIZE)));
    }
  }
}

/** In place, radix 2. */
function fft(re: Float64Array, im: Float64Array): void {
  for (let i = 1, j = 0; i < SIZE; i++) {
    let bit = SIZE >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      // Not by destructuring: V8 makes an array for each swap, 20 kB for each frame of a call.
      const real = re[i]!;
      re[i] = re[j]!;
      re[j] = real;
      const imaginary = im[i]!;
      im[i] = im[j]!;
      im[j] = imaginary;
    }
  }
  for (let half = 1; half < SIZE; half *= 2) {
    const stride = SIZE / (2 * half);
    for (let start = 0; start < SIZE; start += 2 * half) {
      for (let k = 0; k < half; k++) {
        const a = start + k;
        const b = a + half;
        const cos = COS[k * stride]!;
        const sin = SIN[k * stride]!;
        const x = re[b]! * cos + im[b]! * sin;
        const y = im[b]! * cos - re[b]! * sin;
        re[b] = re[a]! - x;
        im[b] = im[a]! - y;
        re[a] = re[a]! + x;
        im[a] = im[a]! + y;
      }
    }
  }
}

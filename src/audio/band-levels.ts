import { MODEL_HZ } from "./format.ts";

/** Levels of eight bands every 10 ms, at 16 kHz. */

export const BANDS = 8;
/** Samples between two rows of levels: 10 ms. */
export const HOP_SAMPLES = 160;
/** Lowest reported level, dBFS. */
export const FLOOR_DB = -90;

const SIZE = 256;
/** Range of the bands in Hz. A voice over a loudspeaker has little energy outside it. */
const LOWEST_HZ = 200;
const HIGHEST_HZ = 6400;
const BIN_HZ = MODEL_HZ / SIZE;

/** First FFT bin of each band, and the end of the last band. Bands are evenly spaced in log frequency. */
const EDGES = Array.from({ length: BANDS + 1 }, (_, band) =>
  Math.round((LOWEST_HZ * (HIGHEST_HZ / LOWEST_HZ) ** (band / BANDS)) / BIN_HZ),
);
const WINDOW = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));
const COS = Float64Array.from({ length: SIZE / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / SIZE));
const SIN = Float64Array.from({ length: SIZE / 2 }, (_, i) => Math.sin((2 * Math.PI * i) / SIZE));

/** The samples are real, so even and odd samples share one complex transform of half the size. */
const HALF = SIZE / 2;
/** Bit-reversed input order of the transform. */
const ORDER = Uint8Array.from({ length: HALF }, (_, i) => {
  let reversed = 0;
  for (let bit = 1; bit < HALF; bit *= 2) reversed = 2 * reversed + (i & bit ? 1 : 0);
  return reversed;
});

/** Cuts a stream into rows of band levels. */
export class BandLevels {
  readonly #history = new Float64Array(SIZE);
  readonly #re = new Float64Array(HALF);
  readonly #im = new Float64Array(HALF);
  readonly #levels = new Float32Array(BANDS);
  #fresh = 0;

  /** Calls `row` for every 10 ms that `samples` (16 kHz) complete, in order. The next row overwrites the array. */
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
    for (let i = 0; i < HALF; i++) {
      const at = 2 * ORDER[i]!;
      re[i] = this.#history[at]! * WINDOW[at]!;
      im[i] = this.#history[at + 1]! * WINDOW[at + 1]!;
    }
    fft(re, im);
    for (let band = 0; band < BANDS; band++) {
      let power = 0;
      for (let bin = EDGES[band]!; bin < EDGES[band + 1]!; bin++) power += binPower(re, im, bin);
      levels[band] = Math.max(FLOOR_DB, 10 * Math.log10((power * 4) / (SIZE * SIZE)));
    }
  }
}

/** Power of bin 1 to HALF - 1 of the full-size transform, recombined from the packed half-size transform. */
function binPower(re: Float64Array, im: Float64Array, bin: number): number {
  const mirror = HALF - bin;
  const evenRe = (re[bin]! + re[mirror]!) / 2;
  const evenIm = (im[bin]! - im[mirror]!) / 2;
  const oddRe = (im[bin]! + im[mirror]!) / 2;
  const oddIm = (re[mirror]! - re[bin]!) / 2;
  const x = evenRe + oddRe * COS[bin]! + oddIm * SIN[bin]!;
  const y = evenIm + oddIm * COS[bin]! - oddRe * SIN[bin]!;
  return x * x + y * y;
}

/** In-place radix-2 transform. The input must be in the order of `ORDER`. */
function fft(re: Float64Array, im: Float64Array): void {
  for (let half = 1; half < HALF; half *= 2) {
    const stride = HALF / half;
    for (let start = 0; start < HALF; start += 2 * half) {
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

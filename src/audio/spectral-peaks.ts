import { Fft } from "./fft.ts";
import { MODEL_HZ } from "./format.ts";

/** 128 ms: long enough that a voice's pitch moves within it, and a machine's tone does not. */
export const WINDOW_SAMPLES = 2048;
export const BIN_HZ = MODEL_HZ / WINDOW_SAMPLES;
const BINS = WINDOW_SAMPLES / 2;
/** Width of a steady tone on each side of its peak: the window's main lobe, and as much again for a tone that has just begun. */
const HALF_WIDTH = 3;
/** Width of a harmonic on each side. */
const HARMONIC_HZ = 12;

/** Without state between transforms, so all callers share them. */
const FFT = new Fft(WINDOW_SAMPLES);
const WINDOW = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW_SAMPLES),
);

/** Power spectrum of the newest sound, and its strongest narrow peaks. Holds its buffers. */
export class SpectralPeaks {
  readonly #re = new Float64Array(WINDOW_SAMPLES);
  readonly #im = new Float64Array(WINDOW_SAMPLES);
  readonly power = new Float64Array(BINS);

  /** `samples`: `WINDOW_SAMPLES` at `MODEL_HZ`. */
  transform(samples: Float32Array): void {
    for (let at = 0; at < WINDOW_SAMPLES; at++) this.#re[at] = samples[at]! * WINDOW[at]!;
    this.#im.fill(0);
    FFT.transform(this.#re, this.#im);
    for (let bin = 0; bin < BINS; bin++) this.power[bin] = this.#re[bin]! ** 2 + this.#im[bin]! ** 2;
  }

  /** Share of the power above `fromHz` at multiples of `hz`, 0 to 1. */
  harmonicity(hz: number, fromHz: number): number {
    const first = Math.round(fromHz / BIN_HZ);
    let total = 0;
    let inHarmonics = 0;
    for (let bin = first; bin < BINS; bin++) {
      const at = (bin * BIN_HZ) / hz;
      const power = this.power[bin]!;
      total += power;
      if (Math.abs(at - Math.round(at)) * hz <= HARMONIC_HZ) inHarmonics += power;
    }
    return total === 0 ? 0 : inHarmonics / total;
  }

  /** Share of the power above `fromHz` that `count` narrow peaks above `peaksFromHz` hold, 0 to 1. Overwrites the spectrum. */
  purity(count: number, fromHz: number, peaksFromHz: number): number {
    const { power } = this;
    const first = Math.round(fromHz / BIN_HZ);
    const firstPeak = Math.round(peaksFromHz / BIN_HZ);
    let total = 0;
    for (let bin = first; bin < BINS; bin++) total += power[bin]!;
    if (total === 0) return 0;
    let inPeaks = 0;
    for (let peak = 0; peak < count; peak++) {
      let best = firstPeak;
      for (let bin = firstPeak; bin < BINS; bin++) if (power[bin]! > power[best]!) best = bin;
      for (let bin = Math.max(first, best - HALF_WIDTH); bin <= Math.min(BINS - 1, best + HALF_WIDTH); bin++) {
        inPeaks += power[bin]!;
        power[bin] = 0;
      }
    }
    return inPeaks / total;
  }
}

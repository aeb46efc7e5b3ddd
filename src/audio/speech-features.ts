import { CALL_HZ } from "./format.ts";
import { Fft } from "./fft.ts";

/** Hop between two frames: 10 ms at 24 kHz. */
const HOP = 240;
const SIZE = 1024;
const BANDS = 24;
const LOWEST_HZ = 60;
/** Without state between transforms, so all callers share it. */
const FFT = new Fft(SIZE);
const BIN_HZ = CALL_HZ / SIZE;
const EDGES = bandEdges();
const WINDOW = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));

/** Periods of a voice: 1,000 to 50 Hz. */
const SHORTEST_LAG = 24;
const LONGEST_LAG = 480;
const PITCH_BINS = 9;
const VOICED = 0.55;
/** Frame distances, in frames, at which the change of the spectrum is measured. */
const DISTANCES = [1, 2, 4, 8, 16];

/** A frame with less than this share of the loudest frame's power is a pause. */
const PAUSE = 1e-3;
/** Power of -60 dBFS. */
const SILENCE = 1e-6;
/** Pauses of up to this many frames are kept between sounds. */
const LONGEST_PAUSE = 16;

export const FEATURES = 3 * BANDS + DISTANCES.length + PITCH_BINS + 2;
/** Most frames with sound that are analysed. */
export const MOST_ACTIVE_FRAMES = 320;
const MOST_FRAMES = 2 * MOST_ACTIVE_FRAMES;

/** Statistics of a 24 kHz stream that show the speed of speech. Silence is skipped. */
export class SpeechFeatures {
  readonly #re = new Float64Array(SIZE);
  readonly #im = new Float64Array(SIZE);
  readonly #history = new Float64Array(SIZE);
  /** Samples since the last frame, their sum and the sum of their squares. */
  #fresh = 0;
  #sum = 0;
  #squares = 0;
  /** Log power of each band, frame by frame. */
  readonly #rows = new Float32Array(MOST_FRAMES * BANDS);
  readonly #isActive = new Uint8Array(MOST_FRAMES);
  readonly #pitches = new Float64Array(PITCH_BINS);
  readonly #power = new Float64Array(BANDS);
  #frames = 0;
  #active = 0;
  #voiced = 0;
  #pause = LONGEST_PAUSE;
  #loudest = SILENCE;

  /** Frames with sound so far. */
  get activeFrames(): number {
    return this.#active;
  }

  /** `pcm`: int16 samples as numbers. */
  push(pcm: Int16Array): void {
    for (let at = 0; at < pcm.length && this.#active < MOST_ACTIVE_FRAMES && this.#frames < MOST_FRAMES;) {
      const count = Math.min(HOP - this.#fresh, pcm.length - at);
      this.#history.copyWithin(0, count);
      for (let i = 0; i < count; i++) {
        const sample = pcm[at + i]! / 32768;
        this.#history[SIZE - count + i] = sample;
        this.#sum += sample;
        this.#squares += sample * sample;
      }
      at += count;
      this.#fresh += count;
      if (this.#fresh === HOP) {
        this.#frame(this.#squares / HOP - (this.#sum / HOP) ** 2);
        this.#fresh = 0;
        this.#sum = 0;
        this.#squares = 0;
      }
    }
  }

  /** @param power Power of the newest samples without their constant offset. */
  #frame(power: number): void {
    this.#loudest = Math.max(this.#loudest, power);
    const active = power > Math.max(SILENCE, this.#loudest * PAUSE);
    this.#pause = active ? 0 : this.#pause + 1;
    if (this.#pause > LONGEST_PAUSE) return;
    const mean = this.#history.reduce((sum, sample) => sum + sample, 0) / SIZE;
    for (let i = 0; i < SIZE; i++) {
      this.#re[i] = (this.#history[i]! - mean) * WINDOW[i]!;
      this.#im[i] = 0;
    }
    FFT.transform(this.#re, this.#im);
    const row = this.#frames * BANDS;
    for (let band = 0; band < BANDS; band++) {
      let sum = 0;
      for (let bin = EDGES[band]!; bin < EDGES[band + 1]!; bin++) sum += this.#re[bin]! ** 2 + this.#im[bin]! ** 2;
      if (active) this.#power[band]! += sum;
      this.#rows[row + band] = Math.log(sum + 1e-7);
    }
    this.#isActive[this.#frames] = active ? 1 : 0;
    this.#frames += 1;
    if (!active) return;
    this.#active += 1;
    this.#pitch();
  }

  /** The period from the autocorrelation, which is the transform of the power spectrum. */
  #pitch(): void {
    const re = this.#re;
    const im = this.#im;
    for (let i = 0; i < SIZE; i++) {
      re[i] = re[i]! ** 2 + im[i]! ** 2;
      im[i] = 0;
    }
    FFT.transform(re, im);
    let best = 0;
    let bestLag = 0;
    for (let lag = SHORTEST_LAG; lag <= LONGEST_LAG; lag++) {
      if (re[lag]! < re[lag - 1]! || re[lag]! < re[lag + 1]!) continue;
      // The window makes long periods weaker; half of that is left, so that the shortest of equal periods is taken.
      const strength = re[lag]! / re[0]! / (1 - (0.7 * lag) / (SIZE / 2));
      if (strength > best * 1.05) {
        best = strength;
        bestLag = lag;
      }
    }
    if (best < VOICED) return;
    this.#voiced += 1;
    const bin = Math.floor(2 * Math.log2(CALL_HZ / bestLag / 50));
    this.#pitches[Math.max(0, Math.min(PITCH_BINS - 1, bin))]! += 1;
  }

  read(): Float32Array {
    const out = new Float32Array(FEATURES);
    const means = new Float64Array(BANDS);
    const squares = new Float64Array(BANDS);
    for (let frame = 0; frame < this.#frames; frame++) {
      if (this.#isActive[frame] === 0) continue;
      for (let band = 0; band < BANDS; band++) {
        const level = this.#rows[frame * BANDS + band]!;
        means[band]! += level / this.#active;
        squares[band]! += level ** 2 / this.#active;
      }
    }
    const overall = means.reduce((sum, level) => sum + level, 0) / BANDS;
    const loudest = Math.log(Math.max(...this.#power) + 1e-7);
    let variance = 0;
    for (let band = 0; band < BANDS; band++) {
      const spread = Math.max(0, squares[band]! - means[band]! ** 2);
      variance += spread / BANDS;
      out[band] = (means[band]! - overall) / 3;
      out[BANDS + band] = Math.sqrt(spread) / 2;
      out[2 * BANDS + band] = (Math.log(this.#power[band]! + 1e-7) - loudest) / 4;
    }
    let at = 3 * BANDS;
    for (const distance of DISTANCES) out[at++] = this.#change(distance) / (variance + 0.1);
    for (const count of this.#pitches) out[at++] = (2 * count) / Math.max(1, this.#voiced);
    out[at++] = this.#voiced / this.#active;
    out[at] = this.#active / this.#frames;
    return out;
  }

  #change(distance: number): number {
    let sum = 0;
    let count = 0;
    for (let frame = distance; frame < this.#frames; frame++) {
      if (this.#isActive[frame] === 0 || this.#isActive[frame - distance] === 0) continue;
      count += BANDS;
      for (let band = 0; band < BANDS; band++)
        sum += (this.#rows[frame * BANDS + band]! - this.#rows[(frame - distance) * BANDS + band]!) ** 2;
    }
    return count === 0 ? 0 : sum / count / 2;
  }
}

/** First bin of each band, and the end of the last band. Low bands are narrow, and no band is empty. */
function bandEdges(): number[] {
  const edges = [Math.round(LOWEST_HZ / BIN_HZ)];
  for (let band = 1; band <= BANDS; band++) {
    const wished = Math.round((LOWEST_HZ * (12_000 / LOWEST_HZ) ** (band / BANDS)) / BIN_HZ);
    edges.push(Math.max(edges.at(-1)! + 1, wished));
  }
  return edges;
}

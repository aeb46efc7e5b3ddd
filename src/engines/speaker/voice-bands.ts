import { Fft } from "../../audio/fft.ts";
import { MODEL_HZ } from "../../audio/format.ts";

export const BANDS = 40;
/** Rows of one window of the encoder. */
export const ROWS = 80;
const SIZE = 512;
const FFT = new Fft(SIZE);
const WINDOW_SAMPLES = 400;
const HOP_SAMPLES = 160;
/** Samples of a whole window, 0.82 s. */
export const CLIP_SAMPLES = (ROWS - 1) * HOP_SAMPLES + SIZE;
const LEAST_POWER = 1e-10;
/** Mean power of a row in the bands of every line, to which each clip is brought: that of speech at -26 dBFS. The encoder's answer depends on the level. */
const USUAL_POWER = 0.72;

/** The bands that every line has, 340 to 3,300 Hz. */
const LINE_BANDS = { first: 5, end: 28 };

/** The window of 25 ms in the middle of the transform. */
const WINDOW = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, at) => 0.54 - 0.46 * Math.cos((2 * Math.PI * at) / WINDOW_SAMPLES),
);
const BEGIN = (SIZE - WINDOW_SAMPLES) / 2;

const LINEAR_HZ = 200 / 3;
const STEP = Math.log(6.4) / 27;
/** Slaney's scale: linear up to 1 kHz, logarithmic above. */
const toMel = (hz: number): number => (hz < 1000 ? hz / LINEAR_HZ : 15 + Math.log(hz / 1000) / STEP);
const toHz = (mel: number): number => (mel < 15 ? mel * LINEAR_HZ : 1000 * Math.exp(STEP * (mel - 15)));

interface Band {
  readonly firstBin: number;
  readonly weights: Float64Array;
}

/** Triangles of equal area. */
const FILTERS: readonly Band[] = Array.from({ length: BANDS }, (_, band) => {
  const [low, middle, high] = [band, band + 1, band + 2].map((at) =>
    toHz((at * toMel(MODEL_HZ / 2)) / (BANDS + 1)),
  ) as [number, number, number];
  const weights = Array.from({ length: SIZE / 2 + 1 }, (__, bin) => {
    const hz = (bin * MODEL_HZ) / SIZE;
    return (Math.max(0, Math.min((hz - low) / (middle - low), (high - hz) / (high - middle))) * 2) / (high - low);
  });
  const firstBin = weights.findIndex((weight) => weight > 0);
  return { firstBin, weights: Float64Array.from(weights.slice(firstBin, weights.findLastIndex((w) => w > 0) + 1)) };
});

/** Power of 40 mel bands every 10 ms, rows of `BANDS` numbers. `samples`: 16 kHz, -1 to 1. */
export function bandPowers(samples: Float32Array): Float64Array {
  const rows = Math.max(0, Math.floor((samples.length - SIZE) / HOP_SAMPLES) + 1);
  const out = new Float64Array(rows * BANDS);
  const re = new Float64Array(SIZE);
  const im = new Float64Array(SIZE);
  for (let row = 0; row < rows; row++) {
    re.fill(0);
    im.fill(0);
    for (let at = 0; at < WINDOW_SAMPLES; at++) re[BEGIN + at] = WINDOW[at]! * samples[row * HOP_SAMPLES + BEGIN + at]!;
    FFT.transform(re, im);
    for (const [band, { firstBin, weights }] of FILTERS.entries()) {
      let power = 0;
      for (let at = 0; at < weights.length; at++)
        power += weights[at]! * (re[firstBin + at]! ** 2 + im[firstBin + at]! ** 2);
      out[row * BANDS + band] = power;
    }
  }
  return out;
}

/** The encoder's input for one window: decimal logarithms of the powers at the usual level. A shorter clip is repeated. */
export function windowOf(powers: Float64Array): Float32Array {
  let sum = 0;
  for (let row = 0; row < powers.length; row += BANDS)
    for (let band = LINE_BANDS.first; band < LINE_BANDS.end; band++) sum += powers[row + band]!;
  const gain = (USUAL_POWER * (powers.length / BANDS)) / (sum + Number.MIN_VALUE);
  return Float32Array.from({ length: ROWS * BANDS }, (_, at) =>
    Math.log10(gain * powers[at % powers.length]! + LEAST_POWER),
  );
}

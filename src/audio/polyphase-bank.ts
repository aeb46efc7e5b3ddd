/**
 * The coefficients of a rational resampler: a Kaiser-windowed sinc, cut into one short filter per output phase.
 * Formulas: Kaiser's window design (Oppenheim & Schafer, Discrete-Time Signal Processing, 7.5.3).
 */
export interface PolyphaseBank {
  /** Output phases: output n lies `n * down / up` input samples after the start. */
  readonly up: number;
  readonly down: number;
  /** Input samples read on each side of an output sample; a phase has `2 * halfTaps` coefficients. */
  readonly halfTaps: number;
  /** `up` rows of `2 * halfTaps`. Row p, column j is the weight of input `floor(t) - halfTaps + 1 + j` where frac(t) = p / up. */
  readonly weights: Float64Array;
}

/** Stop-band attenuation of the design, dB. After normalising, the residue stays below -80 dB. */
const STOP_BAND_DB = 84;
/** End of the pass band as a share of the smaller Nyquist frequency. The stop band starts at that frequency. */
const PASS_BAND_END = 0.88;

/** Banks by rate pair. A server uses few pairs, with one resampler per caller and per clip. */
const made = new Map<string, PolyphaseBank>();
const MAX_KEPT = 16;

/** Banks are shared: do not write to `weights`. @throws RangeError unless both rates are whole Hz above 0. */
export function polyphaseBank(fromHz: number, toHz: number): PolyphaseBank {
  const key = `${fromHz}:${toHz}`;
  const kept = made.get(key);
  if (kept !== undefined) return kept;
  if (made.size === MAX_KEPT) made.clear();
  const bank = design(fromHz, toHz);
  made.set(key, bank);
  return bank;
}

function design(fromHz: number, toHz: number): PolyphaseBank {
  for (const rate of [fromHz, toHz]) {
    if (!Number.isInteger(rate) || rate < 1)
      throw new RangeError(`a sample rate is a whole number of Hz above 0, got ${rate}`);
  }
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;

  // In cycles per input sample.
  const stop = Math.min(fromHz, toHz) / fromHz / 2;
  const transition = stop * (1 - PASS_BAND_END);
  const cutoff = stop - transition / 2;
  const taps = (STOP_BAND_DB - 7.95) / (2.285 * 2 * Math.PI * transition);
  const halfTaps = 2 * Math.ceil(taps / 4);
  const beta = 0.1102 * (STOP_BAND_DB - 8.7);

  const rowLength = 2 * halfTaps;
  const weights = new Float64Array(up * rowLength);
  const row = new Float64Array(rowLength);
  const kaiserScale = 1 / besselI0(beta);
  for (let phase = 0; phase < up; phase++) {
    let sum = 0;
    for (let j = 0; j < rowLength; j++) {
      const distance = phase / up + halfTaps - 1 - j;
      const value = 2 * cutoff * sinc(2 * cutoff * distance) * kaiser(distance / halfTaps, beta) * kaiserScale;
      row[j] = value;
      sum += value;
    }
    // Each phase is normalised to gain 1 at 0 Hz. Otherwise a constant input would get a ripple.
    for (let j = 0; j < rowLength; j++) weights[phase * rowLength + j] = row[j]! / sum;
  }
  return { up, down, halfTaps, weights };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** `x` is -1 to 1 over the window's width. The result is not divided by its value in the middle. */
function kaiser(x: number, beta: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(beta * Math.sqrt(1 - x * x));
}

/** Modified Bessel function of the first kind, order 0, by its power series. */
function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

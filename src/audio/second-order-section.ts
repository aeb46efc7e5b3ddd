/** Coefficients of a filter `y = b0 x + b1 x1 + b2 x2 - a1 y1 - a2 y2`. Formulas: R. Bristow-Johnson's audio equaliser cookbook. */
export interface Coefficients {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

const UNCHANGED: Coefficients = { b0: 1, b1: 0, b2: 0, a1: 0, a2: 0 };

/** Smaller values of the state are 0: after speech it would become so small that processors calculate slowly with it. */
const SMALLEST = 1e-30;

/** One second-order section of a recursive filter. */
export class Section {
  #by: Coefficients;
  #x1 = 0;
  #x2 = 0;
  #y1 = 0;
  #y2 = 0;

  constructor(coefficients: Coefficients = UNCHANGED) {
    this.#by = coefficients;
  }

  /** Other coefficients from the next sample on. */
  become(coefficients: Coefficients): void {
    this.#by = coefficients;
  }

  next(x: number): number {
    const { b0, b1, b2, a1, a2 } = this.#by;
    const y = b0 * x + b1 * this.#x1 + b2 * this.#x2 - a1 * this.#y1 - a2 * this.#y2;
    this.#x2 = this.#x1;
    this.#x1 = x;
    this.#y2 = this.#y1;
    this.#y1 = y;
    return y;
  }

  /** Filters a chunk of the stream in place. Does not allocate. */
  process(samples: Float32Array): void {
    const { b0, b1, b2, a1, a2 } = this.#by;
    let x1 = this.#x1;
    let x2 = this.#x2;
    let y1 = this.#y1;
    let y2 = this.#y2;
    for (let at = 0; at < samples.length; at++) {
      const x = samples[at]!;
      const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      samples[at] = y;
    }
    this.#x1 = x1;
    this.#x2 = x2;
    this.#y1 = Math.abs(y1) < SMALLEST ? 0 : y1;
    this.#y2 = Math.abs(y2) < SMALLEST ? 0 : y2;
  }
}

/** Gain 1 far above `hz`, and nothing far below. */
export const highPass = (hz: number, quality: number, sampleRateHz: number): Coefficients =>
  onOneSide(hz, quality, sampleRateHz, -1);

/** Gain 1 far below `hz`, and nothing far above. */
export const lowPass = (hz: number, quality: number, sampleRateHz: number): Coefficients =>
  onOneSide(hz, quality, sampleRateHz, 1);

function onOneSide(hz: number, quality: number, sampleRateHz: number, sign: 1 | -1): Coefficients {
  const angle = (2 * Math.PI * hz) / sampleRateHz;
  const alpha = Math.sin(angle) / (2 * quality);
  const cosine = Math.cos(angle);
  const a0 = 1 + alpha;
  const b0 = (1 - sign * cosine) / 2 / a0;
  return { b0, b1: 2 * sign * b0, b2: b0, a1: (-2 * cosine) / a0, a2: (1 - alpha) / a0 };
}

/** Gain 1 at `hz`. */
export function bandPass(hz: number, quality: number, sampleRateHz: number): Coefficients {
  const angle = (2 * Math.PI * hz) / sampleRateHz;
  const alpha = Math.sin(angle) / (2 * quality);
  const a0 = 1 + alpha;
  return { b0: alpha / a0, b1: 0, b2: -alpha / a0, a1: (-2 * Math.cos(angle)) / a0, a2: (1 - alpha) / a0 };
}

/** `gainDb` far below `hz`, half of it at `hz`, and nothing far above. */
export function lowShelf(hz: number, gainDb: number, sampleRateHz: number): Coefficients {
  const gain = 10 ** (gainDb / 40);
  const angle = (2 * Math.PI * hz) / sampleRateHz;
  const cosine = Math.cos(angle);
  const edge = Math.SQRT2 * Math.sqrt(gain) * Math.sin(angle);
  const a0 = gain + 1 + (gain - 1) * cosine + edge;
  return {
    b0: (gain * (gain + 1 - (gain - 1) * cosine + edge)) / a0,
    b1: (2 * gain * (gain - 1 - (gain + 1) * cosine)) / a0,
    b2: (gain * (gain + 1 - (gain - 1) * cosine - edge)) / a0,
    a1: (-2 * (gain - 1 + (gain + 1) * cosine)) / a0,
    a2: (gain + 1 + (gain - 1) * cosine - edge) / a0,
  };
}

import { FEATURES } from "./speech-features.ts";
import { HIDDEN, WEIGHTS } from "./speech-rate-weights.ts";

/** Log odds of each wrong sample rate against the right one. The names say how the speech sounds at 24 kHz. */
export interface RateScores {
  /** Sampled at 44.1 or 48 kHz. */
  readonly slow: number;
  /** Sampled at about 16 kHz. */
  readonly fast: number;
  /** Sampled at 8 kHz. */
  readonly fastest: number;
}

/** Standardised values are clamped to this. */
const MOST_DEVIATION = 5;
const CLASSES = 4;

/** A network with one hidden layer. scripts/train/speech-rate/train.py makes its weights. */
export function scoreSpeechRate(features: Float32Array): RateScores {
  const { means, scales, inner, innerBias, outer, outerBias } = weights();
  const out = Float64Array.from(outerBias);
  for (let unit = 0; unit < HIDDEN; unit++) {
    let sum = innerBias[unit]!;
    for (let i = 0; i < FEATURES; i++) {
      const deviation = (features[i]! - means[i]!) * scales[i]!;
      sum += Math.max(-MOST_DEVIATION, Math.min(MOST_DEVIATION, deviation)) * inner[i * HIDDEN + unit]!;
    }
    const value = Math.tanh(sum);
    for (let of = 0; of < CLASSES; of++) out[of]! += value * outer[unit * CLASSES + of]!;
  }
  const [slow, right, fast, fastest] = [out[0]!, out[1]!, out[2]!, out[3]!];
  return { slow: slow - right, fast: fast - right, fastest: fastest - right };
}

interface Weights {
  readonly means: Float32Array;
  readonly scales: Float32Array;
  readonly inner: Float32Array;
  readonly innerBias: Float32Array;
  readonly outer: Float32Array;
  readonly outerBias: Float32Array;
}

let decoded: Weights | undefined;

function weights(): Weights {
  if (decoded !== undefined) return decoded;
  const view = new DataView(Uint8Array.from(atob(WEIGHTS), (letter) => letter.charCodeAt(0)).buffer);
  let at = 0;
  const take = (count: number) => Float32Array.from({ length: count }, () => view.getFloat32(4 * at++, true));
  decoded = {
    means: take(FEATURES),
    scales: take(FEATURES),
    inner: take(FEATURES * HIDDEN),
    innerBias: take(HIDDEN),
    outer: take(HIDDEN * CLASSES),
    outerBias: take(CLASSES),
  };
  return decoded;
}

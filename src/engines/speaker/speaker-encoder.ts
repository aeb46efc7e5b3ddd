/** Describes the voice of a clip by a vector. Vectors of the same voice have a high cosine. They are biometric data. */
export interface SpeakerEncoder {
  /**
   * `samples`: mono, -1 to 1, 16 kHz, mostly speech, 0.1 s or more. The vector has length 1. Rejects when the model fails, or with
   * the signal's reason.
   */
  embed(samples: Float32Array, signal: AbortSignal): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Cosine of two vectors of length 1. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

/** The vector with length 1, in place. */
export function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(cosine(vector, vector));
  for (let at = 0; at < vector.length; at++) vector[at]! /= length;
  return vector;
}

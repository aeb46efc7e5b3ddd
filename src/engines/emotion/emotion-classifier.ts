/** Label of the model to calibrated probability (0-1, sums to 1). */
export type EmotionScores = Readonly<Record<string, number>>;

export interface EmotionClassifier {
  readonly labels: readonly string[];
  /** Seconds of audio the model needs at least, and looks at at most. */
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** `samples`: mono, -1 to 1, 16 kHz. Longer clips: the last `maxSeconds` are used. */
  classify(samples: Float32Array, signal: AbortSignal): Promise<EmotionScores>;
  close(): Promise<void>;
}

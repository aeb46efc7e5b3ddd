/** A sound without a voice: a tone of a machine, such as a busy tone, or music. */
export type SoundKind = "tone" | "music";

/** One caller's voice activity detector: holds the model's recurrent state. */
export interface VoiceActivityDetector {
  /** Samples each call takes, at 16 kHz. */
  readonly frameSamples: number;
  /**
   * Probability (0-1) that the frame (mono, -1 to 1, 16 kHz) holds speech; frames in order. On the calling thread: a
   * promise for each of thirty answers a second cost more than it was good for.
   */
  speechProbability(frame: Float32Array): number;
  /** Undefined: none of these, or not known. */
  readonly kind?: SoundKind | undefined;
}

/** One loaded model, many callers. */
export interface VadEngine {
  open(): VoiceActivityDetector;
  close(): Promise<void>;
}

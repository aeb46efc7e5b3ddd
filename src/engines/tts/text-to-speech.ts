export interface SynthesizeRequest {
  /** One clause or sentence of speakable text (see speakable.ts). */
  readonly text: string;
  /** Speaker name or number of the model; unknown ones fall back to the first. */
  readonly voice: string;
  /** 1 is the model's own rate; 0.5-2. */
  readonly speed: number;
}

/** Who can speak. */
export interface Speakers {
  /** Empty when speakers have numbers alone. */
  readonly names: readonly string[];
  readonly count: number;
}

export interface TextToSpeech {
  /** Rate of the samples returned, Hz. */
  readonly sampleRateHz: number;
  /** Undefined when only a remote server knows. */
  readonly speakers?: Speakers | undefined;
  /**
   * Mono, -1 to 1; leading and trailing silence as the model made it. Empty for a text without a letter or digit. Rejects
   * with OakError `TTS_SAID_NOTHING` when the text has one and there is no sound. On abort rejects with `signal.reason`
   * within 50 ms.
   */
  synthesize(request: SynthesizeRequest, signal: AbortSignal): Promise<Float32Array>;
  close(): Promise<void>;
}

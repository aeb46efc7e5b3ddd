export interface Word {
  readonly word: string;
  /** Seconds from the first sample of the clip. */
  readonly start: number;
  readonly end: number;
  /** 0-1: mean probability of the word's tokens. */
  readonly confidence: number;
}

export interface Transcript {
  /** Trimmed; empty when no speech was recognised. */
  readonly text: string;
  /** 0-1: mean over the words' tokens; 0 when empty. */
  readonly confidence: number;
  readonly words: readonly Word[];
}

/** Known of a caller before they speak. */
export interface SpeechContext {
  readonly language: string;
  /** Names and phrases that the caller is likely to say. Engines that cannot use them ignore them. */
  readonly phrases?: readonly string[] | undefined;
  /** Single words that they may say, in any number. For engines that lose little where most of them are not said. */
  readonly words?: readonly string[] | undefined;
}

export interface TranscribeRequest extends SpeechContext {
  /** Mono, -1 to 1, 16 kHz; at most 35 s. */
  readonly samples: Float32Array;
  /** A partial may be dropped for load (rejects with code STT_BUSY); a final never is. */
  readonly kind: "partial" | "final";
}

/** One caller's recogniser. One request at a time; on abort it rejects with `signal.reason` within 50 ms. */
export interface SpeechRecognizer {
  transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Transcript>;
  close(): void;
}

export interface SpeechToText {
  /** CPU threads of one decode. */
  readonly threads: number;
  open(): SpeechRecognizer;
  close(): Promise<void>;
}

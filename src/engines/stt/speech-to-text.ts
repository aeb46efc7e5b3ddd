import type { SpokenAnswer } from "../../language/expectation.ts";

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
  /** The sound was probably no speech, or other words were said. Such a final starts no reply. Absent: false. */
  readonly isDoubtful?: boolean;
}

/** Known of a caller before they speak. */
export interface SpeechContext {
  /** Primary BCP-47 tag of the language that the caller speaks. */
  readonly language: string;
  /** Names and phrases that the caller is likely to say. Engines that cannot use them ignore them. */
  readonly phrases?: readonly string[] | undefined;
  /** The kind of answer that the service has just asked for. */
  readonly expects?: SpokenAnswer | undefined;
}

export interface TranscribeRequest extends SpeechContext {
  /** Mono, -1 to 1, 16 kHz; at most 35 s. */
  readonly samples: Float32Array;
  /** A partial may be dropped for load (rejects with code STT_BUSY); a final never is. */
  readonly kind: "partial" | "final";
  /** The first words matter more than the best ones: the caller may be stopping a reply. Absent: false. */
  readonly isUrgent?: boolean;
}

/** Probability of each language, by its primary BCP-47 tag. The sum is 1. */
export type LanguageScores = Readonly<Record<string, number>>;

/** One caller's recogniser. One request at a time; on abort it rejects with `signal.reason` within 50 ms. */
export interface SpeechRecognizer {
  /** `early` is called at most once, with words that are known long before the result and may differ from it. */
  transcribe(
    request: TranscribeRequest,
    signal: AbortSignal,
    early?: (transcript: Transcript) => void,
  ): Promise<Transcript>;
  /**
   * The language that is spoken in a clip (mono, 16 kHz, at least 0.5 s; the first 10 s count). Absent when the recogniser cannot
   * identify languages, such as an English-only model.
   */
  identifyLanguage?(samples: Float32Array, signal: AbortSignal): Promise<LanguageScores>;
  close(): void;
}

export interface SpeechToText {
  /** CPU threads of one decode. */
  readonly threads: number;
  open(): SpeechRecognizer;
  close(): Promise<void>;
}

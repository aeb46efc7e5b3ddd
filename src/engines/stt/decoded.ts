import type { Transcript, Word } from "./speech-to-text.ts";

/** How sure a model is of a text, before the guards. */
export interface Evidence {
  /** Mean over the tokens; 0 without tokens. */
  readonly logProbability: number;
  /** Log-probability of the first token; 0 without tokens. A model is unsure of it when there is no speech. */
  readonly firstLogProbability: number;
  /** 0 for a model that has no such output. */
  readonly noSpeechProbability: number;
  readonly tokens: number;
  /** Length of the loud parts of the clip. */
  readonly voicedSeconds: number;
}

/** A part of a clip, decoded. */
export interface DecodedPiece {
  /** Words that passed the guards. Times count from the first sample of the clip. */
  readonly words: readonly DecodedWord[];
  readonly isDoubtful: boolean;
  readonly evidence: Evidence;
}

/** A transcript with the evidence for rules inside `engines/stt`. */
export interface Heard extends Transcript {
  readonly evidence: Evidence;
}

/** A word with the token statistics that guards and confidence need. */
export interface DecodedWord extends Word {
  readonly tokenCount: number;
}

/** One piece of text as the model produced it. */
export interface Token {
  readonly id: number;
  /** One character per byte (latin1), because a token may end inside a UTF-8 character. */
  readonly bytes: string;
  readonly probability: number;
  readonly logProbability: number;
  /** Start of the token, seconds from the first sample; -1 without an alignment. */
  readonly alignedSeconds: number;
}

export interface Decoded {
  readonly tokens: readonly Token[];
  readonly noSpeechProbability: number;
}

/** A decoding state. One lane runs one transcription at a time; lanes run in parallel. Freed with its last reference. */
export interface NativeLane {
  /** `samples`: mono, 16 kHz, at least 0.25 s; copied. Rejects with code ABORTED after `abort`, STT_FAILED otherwise. */
  transcribe(samples: Float32Array, options: DecodeOptions): Promise<Decoded>;
  /**
   * Each text's tokens, and its end without bytes, given the clip that was transcribed last. A text without tokens cannot be scored.
   * Rejects like `transcribe`.
   */
  score(texts: readonly string[], options: Pick<DecodeOptions, "language" | "threads">): Promise<readonly Token[][]>;
  /**
   * Probability of each language by its code. Samples as in `transcribe`. Rejects like `transcribe`, and for models that do not
   * identify languages.
   */
  identifyLanguage(
    samples: Float32Array,
    options: Pick<DecodeOptions, "audioContext" | "threads" | "encoded">,
  ): Promise<Readonly<Record<string, number>>>;
  /** The input of Whisper's encoder: [bands][two frames a position], log-mel. Samples as in `transcribe`. Rejects like `transcribe`. */
  logMel(samples: Float32Array, options: Pick<DecodeOptions, "audioContext" | "threads">): Promise<Float32Array>;
  abort(): void;
}

/** Parakeet uses only `threads`. */
export interface DecodeOptions {
  /** Encoder positions of 320 samples each. The clip must fit. 0: the full context. */
  readonly audioContext: number;
  readonly threads: number;
  /** Beam width, 1 to 8; 1 is greedy. */
  readonly beams: number;
  /** The text ends after this many tokens, 2 or more. 0: no limit. */
  readonly maxTokens: number;
  /** Tokens get times, if the model was loaded with an alignment. */
  readonly alignsWords: boolean;
  /** Ignored by English-only models. */
  readonly language: string;
  /** A text that comes before the clip. The last half of the model's text context counts. */
  readonly prompt?: string;
  /**
   * Output of Whisper's encoder for the clip: [positions][width]. The lane's last `logMel` must be that of the clip. Absent:
   * whisper.cpp runs its own encoder.
   */
  readonly encoded?: Float32Array | undefined;
}

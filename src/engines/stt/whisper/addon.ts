import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageRoot } from "../../../shared/package-root.ts";
import { OakError } from "../../../shared/errors.ts";

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

/** Parakeet uses only `threads`. */
export interface DecodeOptions {
  /** Encoder positions of 320 samples each. The clip must fit. 0: the full context. */
  readonly audioContext: number;
  readonly threads: number;
  /** Beam width, 1 to 8; 1 is greedy. */
  readonly beams: number;
  /** The text ends after this many tokens, 2 or more. 0: no limit. */
  readonly maxTokens: number;
  /** Above 0: a failed decode is repeated with the temperature raised by this step, up to 1. 0: never repeated. */
  readonly temperatureStep: number;
  /** Ignored by English-only models. */
  readonly language: string;
  /** A text that comes before the clip. The last half of the model's text context counts. */
  readonly prompt?: string;
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
    options: Pick<DecodeOptions, "audioContext" | "threads">,
  ): Promise<Readonly<Record<string, number>>>;
  abort(): void;
}

export interface NativeModel {
  readonly facts: {
    /** Whisper: encoder positions. Parakeet: mel frames, 160 samples each. */
    readonly audioContext: number;
    readonly audioLayers: number;
    readonly width: number;
  };
  createLane(): NativeLane;
}

export interface WhisperAddon {
  /** Adds a ggml library for graphics cards. @returns The number of cards; 0 also if the library cannot be loaded. */
  loadBackend(path: string): number;
  /** Loads a Whisper model. Blocks while it reads the file. Throws if the file is missing or not a whisper.cpp model. */
  loadModel(
    path: string,
    options: { alignment: string; alignmentLayers: number; flashAttention: boolean; gpu: boolean },
  ): NativeModel;
  /** Like `loadModel`. Crashes on some damaged files, so call `checkParakeetFile` first. */
  loadParakeet(path: string, options: { gpu: boolean }): NativeModel;
}

/** Loads the addon that `scripts/build-native.mjs` builds. @throws OakError `STT_NOT_BUILT`. */
export function loadAddon(): WhisperAddon {
  const path = join(packageRoot, "build", "native", "whisper.node");
  if (!existsSync(path)) {
    throw new OakError(
      "The speech-to-text engine is not built for this machine: run `node scripts/build-native.mjs`.",
      { code: "STT_NOT_BUILT" },
    );
  }
  return createRequire(import.meta.url)(path) as WhisperAddon;
}

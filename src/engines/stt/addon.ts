import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageRoot } from "../../config/package-root.ts";
import { OakError } from "../../shared/errors.ts";

/** One piece of text as the model produced it. */
export interface Token {
  readonly id: number;
  /** One character a byte (latin1): a token may hold half of a UTF-8 character. */
  readonly bytes: string;
  readonly probability: number;
  readonly logProbability: number;
  /** Seconds from the first sample at which the token begins; -1 when the model was loaded without an alignment. */
  readonly alignedSeconds: number;
}

export interface Decoded {
  readonly tokens: readonly Token[];
  readonly noSpeechProbability: number;
}

/** Parakeet uses only `threads`. */
export interface DecodeOptions {
  /** Encoder positions, 320 samples each; the clip must fit. 0: all of them. */
  readonly audioContext: number;
  readonly threads: number;
  /** Texts followed side by side, 1 to 8; 1 is greedy. */
  readonly beams: number;
  /** 0: one greedy decode. Above 0: a decode that failed is tried again, hotter by this step, up to 1. */
  readonly temperatureStep: number;
  /** Ignored by English-only models. */
  readonly language: string;
}

/** A decoding state of its own: one transcription at a time, lanes run side by side. Freed with its last reference. */
export interface NativeLane {
  /** `samples`: mono, 16 kHz, at least 0.25 s; copied. Rejects with code ABORTED after `abort`, STT_FAILED otherwise. */
  transcribe(samples: Float32Array, options: DecodeOptions): Promise<Decoded>;
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
  /** Adds a ggml library for graphics cards. Returns how many cards it found; 0 also when the library cannot be loaded. */
  loadBackend(path: string): number;
  /** Loads a Whisper model. Blocks while it reads the file; throws when it is missing or not a whisper.cpp model. */
  loadModel(
    path: string,
    options: { alignment: string; alignmentLayers: number; flashAttention: boolean; gpu: boolean },
  ): NativeModel;
  /** As `loadModel`. Crashes on some damaged files: see `checkParakeetFile`. */
  loadParakeet(path: string, options: { gpu: boolean }): NativeModel;
}

/** The addon that `scripts/build-native.mjs` made. Throws STT_NOT_BUILT when there is none. */
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

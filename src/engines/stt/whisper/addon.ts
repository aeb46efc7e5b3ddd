import type { NativeLane } from "../decoded.ts";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageRoot } from "../../../shared/package-root.ts";
import { OakError } from "../../../shared/errors.ts";

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

import { VOICE_TEXT_FILES } from "../../engines/tts/sherpa/model-files.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { CatalogModel } from "../../config/model-catalog.ts";
import { packageRoot } from "../../shared/package-root.ts";
import { whisperOperations } from "./floor.ts";
import { KOKORO_82M, kokoroFile } from "./kokoro-file.ts";
import { llamaFile } from "./llama-file.ts";
import { cacheBytesPerToken } from "./llama-shape.ts";
import { LLAMA_SHAPES } from "./llama-shapes.ts";
import { parakeetFile, type ParakeetShape } from "./parakeet-file.ts";
import { PIPER_MEDIUM, piperFile } from "./piper-file.ts";
import { whisperFile, type WhisperShape } from "./whisper-file.ts";
import type { Piece } from "./write-pieces.ts";

/** The file that takes a catalogue model's place in a rehearsal. */
export interface RehearsalFile {
  readonly pieces: readonly Piece[];
  /** For a model that is a folder: the file's name in it, and what is copied beside it. */
  readonly inFolder?: { readonly name: string; readonly beside: readonly string[] };
  /** Floating-point operations of a decode at this many encoder positions. */
  readonly decodeOperations?: (positions: number) => number;
  /** Bytes of the cache for each token of a caller's context. */
  readonly cacheBytesPerToken: number;
}

/** Sizes of the published models: https://github.com/openai/whisper/blob/main/model-card.md */
const WHISPER: Readonly<Record<string, Omit<WhisperShape, "vocabulary" | "mels">>> = {
  tiny: { width: 384, heads: 6, audioLayers: 4, textLayers: 4 },
  base: { width: 512, heads: 8, audioLayers: 6, textLayers: 6 },
  small: { width: 768, heads: 12, audioLayers: 12, textLayers: 12 },
  medium: { width: 1_024, heads: 16, audioLayers: 24, textLayers: 24 },
  "large-v3": { width: 1_280, heads: 20, audioLayers: 32, textLayers: 32 },
  "large-v3-turbo": { width: 1_280, heads: 20, audioLayers: 32, textLayers: 4 },
};

/** whisper.cpp accepts no larger models: src/parakeet-arch.h. */
const PARAKEET: Readonly<Record<string, ParakeetShape>> = {
  "parakeet-tdt-0.6b-v3": {
    vocabulary: 8_192,
    width: 1_024,
    heads: 8,
    layers: 24,
    mels: 128,
    channels: 256,
    predictionWidth: 640,
    predictionLayers: 2,
  },
};

/** By the model's id, which names architecture, size and quantisation. Undefined where the shape is not known. */
export function rehearsalFile({ id, role }: Pick<CatalogModel, "id" | "role">): RehearsalFile | undefined {
  if (role === "stt") return parakeet(id) ?? whisper(id);
  if (role === "llm") return llama(id);
  return role === "tts" ? voice(id) : undefined;
}

function whisper(id: string): RehearsalFile | undefined {
  const [, size = "", english] = /(?:^|-)(tiny|base|small|medium|large-v3(?:-turbo)?)(\.en)?(?:-|$)/u.exec(id) ?? [];
  const packed = (["q5_0", "q5_1", "q8_0", "f16"] as const).find((name) => id.endsWith(`-${name}`));
  const shape = WHISPER[size];
  if (shape === undefined || packed === undefined) return undefined;
  const isThird = size.startsWith("large-v3");
  const vocabulary = english === undefined ? (isThird ? 51_866 : 51_865) : 51_864;
  const whole = { ...shape, vocabulary, mels: isThird ? 128 : 80 };
  const decodeOperations = (positions: number) => whisperOperations(whole, positions);
  return { pieces: whisperFile(whole, packed), decodeOperations, cacheBytesPerToken: 0 };
}

function parakeet(id: string): RehearsalFile | undefined {
  const name = Object.keys(PARAKEET).find((prefix) => id.startsWith(`${prefix}-`)) ?? "";
  const packed = (["f16", "q4_k", "q8_0"] as const).find((packing) => id === `${name}-${packing}`);
  const shape = PARAKEET[name];
  if (shape === undefined || packed === undefined) return undefined;
  return { pieces: parakeetFile(shape, packed), cacheBytesPerToken: 0 };
}

function llama(id: string): RehearsalFile | undefined {
  const shape = LLAMA_SHAPES[Object.keys(LLAMA_SHAPES).find((name) => id.startsWith(`${name}-`)) ?? ""];
  const packed = (["q4_k_m", "q8_0"] as const).find((name) => id.endsWith(`-${name}`));
  if (shape === undefined || packed === undefined) return undefined;
  return { pieces: llamaFile(shape, packed, commonWords()), cacheBytesPerToken: cacheBytesPerToken(shape) };
}

/** With the starter voice's tokens and lexicon; the published voice's phones come from espeak-ng, which costs next to nothing. */
function voice(id: string): RehearsalFile | undefined {
  const pieces = /^piper-.*-medium$/u.test(id)
    ? piperFile(PIPER_MEDIUM)
    : id.startsWith("kokoro-en-")
      ? kokoroFile(KOKORO_82M)
      : undefined;
  if (pieces === undefined) return undefined;
  const beside = VOICE_TEXT_FILES.map((name) => join(packageRoot, "models", "starter", "tts", name));
  return { pieces, cacheBytesPerToken: 0, inFolder: { name: "model.onnx", beside } };
}

/** Words of callers, taken from the end-of-turn model. */
function commonWords(): readonly string[] {
  const file = join(packageRoot, "models", "starter", "turn", "turn-words.json");
  const { weights } = z
    .object({ weights: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(readFileSync(file, "utf8")));
  const words = Object.keys(weights).flatMap((key) => key.split(" "));
  return [...new Set(words)].filter((word) => /^[a-z]+$/u.test(word));
}

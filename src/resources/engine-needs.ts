import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { markOptions } from "../engines/llm/llama/sequence-cache.ts";
import { MAX_SAVED } from "../engines/llm/llama/shared-beginnings.ts";
import { readGgufFile } from "./gguf-header.ts";
import { languageModelMemory } from "./language-model-memory.ts";
import type { EngineNeed } from "./memory-plan.ts";
import { encoderBytes, laneBytes } from "./recogniser-memory.ts";

/** A child process before it loads a model. */
const PROCESS_BYTES = 60e6;
/** Card memory that CUDA reserves for each process. */
const CARD_PROCESS_BYTES = 300e6;
/** Typical length of a system message with its facts. */
const BEGINNING_TOKENS = 512;
const processBytes = (onGpu: boolean): number => (onGpu ? CARD_PROCESS_BYTES : PROCESS_BYTES);

/** Memory of the longest clause, interpolated between the two voices of docs/decisions/0071-memory-plan.md. */
const clauseBytes = (voiceBytes: number): number =>
  Math.min(220e6, Math.max(1.75 * voiceBytes, 4.15 * voiceBytes - 43e6));

/**
 * Working memory of Moonshine tiny, and its weights beside the copies in the files. Measured with a clip of 30 s
 * (docs/decisions/0071-memory-plan.md).
 */
const FAST_EAR_BYTES = 280e6;

/** Working memory of the speaker encoder, and its weights beside the copy in the file (docs/decisions/0071-memory-plan.md). */
const SPEAKER_BYTES = 38e6;

/** An unreadable model file needs 0 bytes here. The engine's start reports the fault. */
export function recogniserNeed(path: string, lanes: number, beams: number, onGpu: boolean): EngineNeed {
  const modelBytes = sizeOf(path);
  const encoder = modelBytes === 0 || onGpu ? 0 : encoderBytes(path);
  const lane = modelBytes === 0 ? 0 : laneBytes(path, modelBytes, beams);
  const bufferBytes = processBytes(onGpu) + encoder + lanes * lane;
  return { engine: "speech recognition", modelBytes, bufferBytes, onGpu };
}

/** `folder`: the fast recogniser's. A missing one needs nothing. */
export function fastRecogniserNeed(folder: string): EngineNeed {
  const modelBytes = onnxBytes(folder);
  const bufferBytes = modelBytes === 0 ? 0 : PROCESS_BYTES + FAST_EAR_BYTES;
  return { engine: "fast recognition", modelBytes, bufferBytes, onGpu: false };
}

/** Marks and saved beginnings are stored in main memory, also when the model is on a card. */
export function languageModelNeeds(path: string, onGpu: boolean): readonly EngineNeed[] {
  const modelBytes = sizeOf(path);
  const engine = { engine: "language model", modelBytes, onGpu };
  const memory = modelBytes > 0 ? memoryOf(path) : undefined;
  if (memory === undefined) return [{ ...engine, bufferBytes: processBytes(onGpu), cacheBytes: () => 0 }];
  const bufferBytes = processBytes(onGpu) + memory.bufferBytes;
  const savedBytes = MAX_SAVED * memory.cacheBytes(BEGINNING_TOKENS);
  const markBytes = markOptions.max * memory.stateBytes;
  if (!onGpu) {
    const cacheBytes = (contextTokens: number) => memory.cacheBytes(contextTokens) + markBytes;
    return [{ ...engine, bufferBytes: bufferBytes + savedBytes, cacheBytes }];
  }
  return [
    { ...engine, bufferBytes, cacheBytes: memory.cacheBytes },
    {
      engine: "saved prompts",
      modelBytes: 0,
      bufferBytes: PROCESS_BYTES + savedBytes,
      cacheBytes: () => markBytes,
      onGpu: false,
    },
  ];
}

/** `folder`: the voice's folder. `jobs`: clauses synthesised at the same time. */
export function voiceNeed(folder: string, jobs: number): EngineNeed {
  const modelBytes = onnxBytes(folder);
  const bufferBytes = PROCESS_BYTES + jobs * clauseBytes(modelBytes);
  return { engine: "speech synthesis", modelBytes, bufferBytes, onGpu: false };
}

/** The encoder of `only_my_caller`. A missing file needs nothing. */
export function speakerNeed(path: string): EngineNeed {
  const modelBytes = sizeOf(path);
  const bufferBytes = modelBytes === 0 ? 0 : PROCESS_BYTES + SPEAKER_BYTES;
  return { engine: "speaker recognition", modelBytes, bufferBytes, onGpu: false };
}

const onnxBytes = (folder: string): number =>
  namesIn(folder)
    .filter((name) => name.endsWith(".onnx"))
    .reduce((sum, name) => sum + sizeOf(join(folder, name)), 0);

/** 0 for anything but a regular file. Opening a pipe would block until its other end opens. */
export function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : 0;
}

function memoryOf(path: string) {
  try {
    return languageModelMemory(readGgufFile(path));
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { GgufInsights, readGgufFileInfo } from "node-llama-cpp";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { readGgufFile, readGgufMetadata, type GgufMetadata } from "../../src/resources/gguf-header.ts";
import { languageModelMemory } from "../../src/resources/language-model-memory.ts";
import { llamaFile } from "../support/models/llama-file.ts";
import { LLAMA_SHAPES } from "../support/models/llama-shapes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const STARTER = join(packageRoot, "models", "starter", "llm", "starter.gguf");

/** The header of a model of published shape, as a file that ends after it. */
function publishedHeader(id: string): string {
  const folder = temporaryFolder();
  const path = join(folder, "model.gguf");
  const file = openSync(path, "w");
  const [, shape] = Object.entries(LLAMA_SHAPES).find(([name]) => id.startsWith(name)) ?? [];
  if (shape === undefined) throw new RangeError(id);
  for (const piece of llamaFile(shape, "q4_k_m", [])) if (Buffer.isBuffer(piece)) writeSync(file, piece);
  closeSync(file);
  return path;
}

test.each([
  ["the starter model", () => STARTER],
  ["qwen2.5-1.5b-instruct-q4_k_m", publishedHeader],
  ["qwen3-4b-instruct-2507-q4_k_m", publishedHeader],
  ["qwen3-30b-a3b-instruct-2507-q4_k_m", publishedHeader],
  ["qwen3.5-0.8b-q4_k_m", publishedHeader],
  ["lfm2.5-1.2b-instruct-q4_k_m", publishedHeader],
])("the cache of %s has the size that node-llama-cpp computes", async (id, fileOf) => {
  const path = fileOf(id);
  const insights = await GgufInsights.from(await readGgufFileInfo(path));
  const shape = { contextSize: 2_048, modelGpuLayers: 0, batchSize: 512, includeGraphOverhead: false };
  const ramFor = (sequences: number) => insights.estimateContextResourceRequirements({ ...shape, sequences }).cpuRam;
  const memory = languageModelMemory(readGgufFile(path));
  expect(memory?.cacheBytes(2_048)).toBeCloseTo((ramFor(9) - ramFor(1)) / 8, -3);
  expect(memory?.bufferBytes).toBeGreaterThan(0);
});

const header = (facts: Readonly<Record<string, number | readonly number[]>>, architecture: string): GgufMetadata =>
  new Map<string, string | number | readonly number[]>([
    ["general.architecture", architecture],
    ...Object.entries(facts).map(([name, value]) => [`${architecture}.${name}`, value] as const),
  ]);

const COMMON = { block_count: 4, embedding_length: 1_024, context_length: 32_768, "attention.head_count": 8 };

test("a hybrid model needs a fixed state for each caller and the cache of its attention layers", () => {
  const facts = { ...COMMON, "attention.head_count_kv": [0, 0, 8, 0], "shortconv.l_cache": 3 };
  const memory = languageModelMemory(header(facts, "lfm2"));
  const state = 3 * 2 * 1_024 * 4;
  expect(memory?.cacheBytes(2_048)).toBe(state + 2_048 * 8 * 256 * 2);
  expect(memory?.stateBytes).toBe(state);
  const qwen = {
    ...COMMON,
    "attention.head_count_kv": 2,
    full_attention_interval: 4,
    "ssm.conv_kernel": 4,
    "ssm.inner_size": 2_048,
    "ssm.group_count": 16,
    "ssm.state_size": 128,
  };
  const states = 3 * 4 * (3 * (2_048 + 2 * 16 * 128) + 128 * 2_048);
  expect(languageModelMemory(header(qwen, "qwen35"))?.cacheBytes(512)).toBe(states + 512 * 2 * 256 * 2);
});

test("a sliding window limits the cache of its layers", () => {
  const facts = {
    ...COMMON,
    "attention.head_count_kv": 8,
    "attention.sliding_window": 512,
    "attention.sliding_window_pattern": [1, 1, 1, 0],
  };
  const memory = languageModelMemory(header(facts, "gemma3"));
  expect(memory?.cacheBytes(8_192)).toBe((3 * 1_024 + 8_192) * 8 * 256 * 2);
});

test("Gemma 3 attends to the whole context in each sixth layer, although its header does not contain this", () => {
  const memory = languageModelMemory(readGgufFile(publishedHeader("gemma-3-4b-it-q4_k_m")));
  expect(memory?.cacheBytes(2_048)).toBe((29 * 1_536 + 5 * 2_048) * 4 * 512 * 2);
});

test("the context is at most as long as in the model's training", () => {
  const memory = languageModelMemory(
    header({ ...COMMON, context_length: 1_024, "attention.head_count_kv": 8 }, "llama"),
  );
  expect(memory?.cacheBytes(131_072)).toBe(memory?.cacheBytes(1_024));
});

test("a truncated, damaged or foreign header is refused", () => {
  const folder = temporaryFolder();
  const whole = readGgufFile(STARTER);
  expect(whole.get("general.architecture")).toBe("llama");
  const other = join(folder, "other.gguf");
  writeFileSync(other, "no model");
  expect(() => readGgufFile(other)).toThrow(RangeError);
  const bytes = readFileSync(STARTER);
  for (const length of [10, 100, 5_000]) expect(() => readGgufMetadata(bytes.subarray(0, length))).toThrow(RangeError);
});

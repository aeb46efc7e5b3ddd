import type { LlamaShape } from "./llama-shape.ts";

const QWEN3 = { architecture: "qwen3", vocabulary: 151_936, keyHeads: 8, headWidth: 128, isTied: true } as const;
const QWEN35 = { architecture: "qwen35", vocabulary: 248_320, headWidth: 256, isTied: true } as const;

/**
 * From each model's published config.json, by the beginning of the model's id. Where one beginning is part of another, the
 * longer one stands first. The files of Qwen2.5 hold embedding and output apart, though they are the same.
 */
export const LLAMA_SHAPES: Readonly<Record<string, LlamaShape>> = {
  "qwen2.5-1.5b": {
    architecture: "qwen2",
    vocabulary: 151_936,
    width: 1_536,
    layers: 28,
    heads: 12,
    keyHeads: 2,
    headWidth: 128,
    feedForward: 8_960,
    isTied: false,
  },
  "qwen3-0.6b": { ...QWEN3, width: 1_024, layers: 28, heads: 16, feedForward: 3_072 },
  "qwen3-1.7b": { ...QWEN3, width: 2_048, layers: 28, heads: 16, feedForward: 6_144 },
  "qwen3-4b": { ...QWEN3, width: 2_560, layers: 36, heads: 32, feedForward: 9_728 },
  "qwen3-30b-a3b": {
    ...QWEN3,
    architecture: "qwen3moe",
    width: 2_048,
    layers: 48,
    heads: 32,
    keyHeads: 4,
    feedForward: 768,
    experts: { count: 128, used: 8 },
    isTied: false,
  },
  "gemma-3-4b": {
    architecture: "gemma3",
    vocabulary: 262_144,
    width: 2_560,
    layers: 34,
    heads: 8,
    keyHeads: 4,
    headWidth: 256,
    feedForward: 10_240,
    window: 1_024,
    isTied: true,
  },
  "lfm2.5-1.2b": {
    architecture: "lfm2",
    vocabulary: 65_536,
    width: 2_048,
    layers: 16,
    attention: [2, 5, 8, 10, 12, 14],
    heads: 32,
    keyHeads: 8,
    headWidth: 64,
    feedForward: 8_192,
    isTied: true,
  },
  "qwen3.5-0.8b": {
    ...QWEN35,
    width: 1_024,
    ...everyFourth(24),
    heads: 8,
    keyHeads: 2,
    feedForward: 3_584,
    delta: { keyHeads: 16, valueHeads: 16, headWidth: 128 },
  },
  "qwen3.5-2b": {
    ...QWEN35,
    width: 2_048,
    ...everyFourth(24),
    heads: 8,
    keyHeads: 2,
    feedForward: 6_144,
    delta: { keyHeads: 16, valueHeads: 16, headWidth: 128 },
  },
  "qwen3.5-4b": {
    ...QWEN35,
    width: 2_560,
    ...everyFourth(32),
    heads: 16,
    keyHeads: 4,
    feedForward: 9_216,
    delta: { keyHeads: 16, valueHeads: 32, headWidth: 128 },
  },
  "qwen3.5-9b": {
    ...QWEN35,
    width: 4_096,
    ...everyFourth(32),
    heads: 16,
    keyHeads: 4,
    feedForward: 12_288,
    delta: { keyHeads: 16, valueHeads: 32, headWidth: 128 },
    isTied: false,
  },
  "qwen3.8-27b": {
    ...QWEN35,
    width: 5_120,
    ...everyFourth(64),
    heads: 24,
    keyHeads: 4,
    feedForward: 17_408,
    delta: { keyHeads: 16, valueHeads: 48, headWidth: 128 },
    isTied: false,
  },
};

/** Three layers with a delta net, then one with attention. */
function everyFourth(layers: number): Pick<LlamaShape, "layers" | "attention"> {
  return { layers, attention: Array.from({ length: layers / 4 }, (_, block) => 4 * block + 3) };
}

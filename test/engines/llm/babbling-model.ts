import { llamaFile } from "../../support/models/llama-file.ts";
import type { ChatFormat } from "../../support/models/llama-tokenizer.ts";
import type { LlamaShape } from "../../support/models/llama-shape.ts";
import { writePieces } from "../../support/models/write-pieces.ts";

const base = {
  vocabulary: 1_024,
  width: 256,
  heads: 4,
  keyHeads: 2,
  headWidth: 64,
  feedForward: 512,
  isTied: true,
} as const;

export const TINY_SHAPES = {
  qwen3: { ...base, architecture: "qwen3", layers: 3 },
  gemma3: { ...base, architecture: "gemma3", layers: 6, window: 128 },
  lfm2: { ...base, architecture: "lfm2", layers: 4, attention: [1, 3] },
  qwen35: {
    ...base,
    architecture: "qwen35",
    layers: 4,
    attention: [3],
    delta: { keyHeads: 2, valueHeads: 4, headWidth: 64 },
  },
} satisfies Readonly<Record<string, LlamaShape>>;

/** A tiny model with random weights. Its output depends on every earlier token. */
export async function writeBabblingModel(path: string, shape: LlamaShape, chat?: ChatFormat): Promise<void> {
  const pieces = llamaFile(shape, "q8_0", ["hello", "table", "house", "book", "please"], chat).map((piece) => {
    if (Buffer.isBuffer(piece)) return piece;
    const { packing, rowLength, rows, constant } = piece;
    const weights = { packing, rowLength, rows, noise: 0.12 };
    return constant === undefined ? weights : { ...weights, constant: constant < 0 ? -0.05 : 3 * Math.sign(constant) };
  });
  await writePieces(path, pieces, new AbortController().signal, () => undefined);
}

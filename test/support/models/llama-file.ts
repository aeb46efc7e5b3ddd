import { ggufFile, type GgufTensor, type GgufValue } from "./gguf.ts";
import { basic, CONVOLUTION, fine, layerTensors, tensor } from "./llama-layers.ts";
import { hasAttention, type LlamaPacking, type LlamaShape } from "./llama-shape.ts";
import { rehearsalTokenizer, type ChatFormat } from "./llama-tokenizer.ts";
import { signs } from "./signs.ts";
import type { Piece } from "./write-pieces.ts";

const CONTEXT = 32_768;
const FILE_TYPE: Readonly<Record<LlamaPacking, number>> = { q4_k_m: 15, q8_0: 7 };
const MAGNITUDE = 0.25;

/**
 * A GGUF file of the given shape that answers `SAID`. The embedding of each token of the answer is the output row of the
 * next token; all other weights are small noise. `words` become one token each.
 */
export function llamaFile(
  shape: LlamaShape,
  packed: LlamaPacking,
  words: readonly string[],
  chat?: ChatFormat,
): readonly Piece[] {
  const { metadata, next } = rehearsalTokenizer(shape.vocabulary, words, chat);
  const ends = shape.isTied ? tiedEnds : openEnds;
  return ggufFile({ ...facts(shape, packed), ...metadata }, [
    ...ends(shape, packed, next, new Set(next.values())),
    ...Array.from({ length: shape.layers }, (_, layer) => layerTensors(shape, packed, layer)).flat(),
  ]);
}

function facts(shape: LlamaShape, packed: LlamaPacking): Readonly<Record<string, GgufValue>> {
  const { architecture: name, experts } = shape;
  const own: Readonly<Record<string, GgufValue>> = {
    context_length: { uint32: CONTEXT },
    embedding_length: { uint32: shape.width },
    block_count: { uint32: shape.layers },
    feed_forward_length: { uint32: shape.feedForward },
    "attention.head_count": { uint32: shape.heads },
    "attention.head_count_kv": { uint32: shape.keyHeads },
    "attention.key_length": { uint32: shape.headWidth },
    "attention.value_length": { uint32: shape.headWidth },
    "attention.layer_norm_rms_epsilon": { float32: 1e-6 },
    "rope.freq_base": { float32: 1e6 },
    ...(experts && {
      expert_count: { uint32: experts.count },
      expert_used_count: { uint32: experts.used },
      expert_feed_forward_length: { uint32: shape.feedForward },
    }),
    ...(name === "llama" && { "rope.dimension_count": { uint32: shape.headWidth } }),
    ...(shape.window !== undefined && { "attention.sliding_window": { uint32: shape.window } }),
    ...(name === "lfm2" && convolutionFacts(shape)),
    ...(name === "qwen35" && deltaFacts(shape)),
  };
  return {
    "general.architecture": { string: name },
    "general.name": { string: "rehearsal" },
    "general.file_type": { uint32: FILE_TYPE[packed] },
    "general.quantization_version": { uint32: 2 },
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`${name}.${key}`, value])),
  };
}

/** Layers without key heads are convolutions. */
function convolutionFacts(shape: LlamaShape): Readonly<Record<string, GgufValue>> {
  const keyHeads = Array.from({ length: shape.layers }, (_, layer) =>
    hasAttention(shape, layer) ? shape.keyHeads : 0,
  );
  return { "attention.head_count_kv": { int32s: keyHeads }, "shortconv.l_cache": { uint32: CONVOLUTION.lfm2 } };
}

function deltaFacts({ headWidth, attention = [], delta }: LlamaShape): Readonly<Record<string, GgufValue>> {
  if (delta === undefined) return {};
  // A quarter of each head is rotated: by time, height and width, which are all the position in a text.
  const rotated = headWidth / 4;
  const [height, time] = [Math.floor(rotated / 6), rotated / 2 - 2 * Math.floor(rotated / 6)];
  return {
    full_attention_interval: { uint32: (attention[0] ?? 0) + 1 },
    "rope.dimension_count": { uint32: rotated },
    "rope.dimension_sections": { int32s: [time, height, height, 0] },
    "ssm.conv_kernel": { uint32: CONVOLUTION.qwen35 },
    "ssm.state_size": { uint32: delta.headWidth },
    "ssm.group_count": { uint32: delta.keyHeads },
    "ssm.time_step_rank": { uint32: delta.valueHeads },
    "ssm.inner_size": { uint32: delta.valueHeads * delta.headWidth },
  };
}

const outputNorm = ({ architecture }: LlamaShape): string =>
  architecture === "lfm2" ? "token_embd_norm.weight" : "output_norm.weight";

function openEnds(
  shape: LlamaShape,
  packed: LlamaPacking,
  next: ReadonlyMap<number, number>,
  ends: ReadonlySet<number>,
): readonly GgufTensor[] {
  const { width, vocabulary } = shape;
  const rowOf = (token: number | undefined) => (token === undefined ? undefined : signs(token, width, MAGNITUDE));
  return [
    tensor("token_embd.weight", basic(packed), [width, vocabulary], { rowAt: (token) => rowOf(next.get(token)) }),
    tensor("output.weight", fine(packed), [width, vocabulary], {
      rowAt: (token) => (ends.has(token) ? rowOf(token) : undefined),
    }),
    tensor(outputNorm(shape), "f32", [width], { constant: 1 }),
  ];
}

/**
 * The first half of a token's row names the next token, the second half the token itself. The first layer copies the first
 * half over the second with a higher gain; the output is read from the second half.
 */
function tiedEnds(
  shape: LlamaShape,
  packed: LlamaPacking,
  next: ReadonlyMap<number, number>,
  ends: ReadonlySet<number>,
): readonly GgufTensor[] {
  const { width, vocabulary } = shape;
  const half = width / 2;
  const rowAt = (token: number) => {
    if (!next.has(token) && !ends.has(token)) return undefined;
    const row = new Float32Array(width);
    row.set(signs(next.get(token) ?? token, half, MAGNITUDE));
    row.set(signs(token, half, MAGNITUDE), half);
    return row;
  };
  const second = Float32Array.from({ length: width }, (_, at) => (at < half ? 0 : 1));
  return [
    tensor("token_embd.weight", fine(packed), [width, vocabulary], { rowAt }),
    tensor(outputNorm(shape), "f32", [width], { rowAt: () => second }),
  ];
}

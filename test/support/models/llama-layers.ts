import type { GgufTensor } from "./gguf.ts";
import { hasAttention, type LlamaPacking, type LlamaShape } from "./llama-shape.ts";
import type { PackingName } from "./packings.ts";
import type { Weights } from "./write-pieces.ts";

/** Standard deviation of weights without a meaning. */
const NOISE = 5e-4;
/** Gain of norms before such weights: their output must stay small beside the tokens' rows. */
const QUIET = 0.05;

/** Gain of gemma3's norm behind the first feed-forward part: its output must exceed the embedding, which is scaled up. */
const LOUD = 200;

/** Positions that a short convolution and a delta net's convolution cover. */
export const CONVOLUTION = { lfm2: 3, qwen35: 4 } as const;

/** Quantisation of most matrices, and of those that llama.cpp gives more bits. */
export const basic = (packed: LlamaPacking): PackingName => (packed === "q8_0" ? "q8_0" : "q4_k");
export const fine = (packed: LlamaPacking): PackingName => (packed === "q8_0" ? "q8_0" : "q6_k");

/** `shape`: innermost length first. */
export function tensor(
  name: string,
  packing: PackingName,
  shape: readonly number[],
  values: Pick<Weights, "constant" | "rowAt"> = {},
): GgufTensor {
  const [rowLength = 1, ...rest] = shape;
  const rows = rest.reduce((product, length) => product * length, 1);
  return { name, shape, packing, rowLength, rows, noise: NOISE, ...values };
}

/** The tensors of one layer, named and packed as llama.cpp's own quantisation does. */
export function layerTensors(shape: LlamaShape, packed: LlamaPacking, layer: number): readonly GgufTensor[] {
  const mixer = hasAttention(shape, layer) ? attention : shape.delta === undefined ? shortConvolution : deltaNet;
  return [...mixer(shape, packed, layer), ...feedForward(shape, packed, layer)];
}

type Part = (shape: LlamaShape, packed: LlamaPacking, layer: number) => readonly GgufTensor[];

const attention: Part = (shape, packed, layer) => {
  const { architecture, width, heads, keyHeads, headWidth } = shape;
  const { vector, matrix } = layerOf(layer);
  const [queries, keys] = [heads * headWidth, keyHeads * headWidth];
  // The queries of qwen35 come with a gate for each value.
  const gates = architecture === "qwen35" ? 2 : 1;
  return [
    vector("attn_norm.weight", width, QUIET),
    matrix("attn_q.weight", basic(packed), [width, gates * queries]),
    matrix("attn_k.weight", basic(packed), [width, keys]),
    matrix("attn_v.weight", valuePacking(shape, packed, layer), [width, keys]),
    matrix("attn_output.weight", basic(packed), [queries, width]),
    ...(architecture === "qwen2"
      ? [vector("attn_q.bias", queries, 0), vector("attn_k.bias", keys, 0), vector("attn_v.bias", keys, 0)]
      : []),
    ...(architecture === "qwen2" || architecture === "llama"
      ? []
      : [vector("attn_q_norm.weight", headWidth, 1), vector("attn_k_norm.weight", headWidth, 1)]),
    ...(architecture === "gemma3" ? [vector("post_attention_norm.weight", width, QUIET)] : []),
  ];
};

const shortConvolution: Part = ({ width }, packed, layer) => {
  const { vector, matrix } = layerOf(layer);
  return [
    vector("attn_norm.weight", width, QUIET),
    matrix("shortconv.conv.weight", "f32", [CONVOLUTION.lfm2, width]),
    matrix("shortconv.in_proj.weight", basic(packed), [width, 3 * width]),
    matrix("shortconv.out_proj.weight", basic(packed), [width, width]),
  ];
};

const deltaNet: Part = (shape, packed, layer) => {
  const { width, delta = { keyHeads: 0, valueHeads: 0, headWidth: 0 } } = shape;
  const { vector, matrix } = layerOf(layer);
  const values = delta.valueHeads * delta.headWidth;
  const mixed = 2 * delta.keyHeads * delta.headWidth + values;
  return [
    vector("attn_norm.weight", width, QUIET),
    matrix("attn_qkv.weight", valuePacking(shape, packed, layer), [width, mixed]),
    matrix("attn_gate.weight", basic(packed), [width, values]),
    matrix("ssm_conv1d.weight", "f32", [CONVOLUTION.qwen35, mixed]),
    vector("ssm_dt.bias", delta.valueHeads, 0),
    vector("ssm_a", delta.valueHeads, -1),
    matrix("ssm_beta.weight", basic(packed), [width, delta.valueHeads]),
    matrix("ssm_alpha.weight", basic(packed), [width, delta.valueHeads]),
    vector("ssm_norm.weight", delta.headWidth, 1),
    matrix("ssm_out.weight", basic(packed), [values, width]),
  ];
};

const feedForward: Part = (shape, packed, layer) => {
  const { architecture, width, feedForward: inner, experts, isTied } = shape;
  const { vector, matrix } = layerOf(layer);
  const copy = isTied && layer === 0 ? copying(width, inner) : undefined;
  const norm = architecture === "qwen35" ? "post_attention_norm" : "ffn_norm";
  const down = hasMoreBits(layer, shape.layers) ? fine(packed) : basic(packed);
  const each = experts === undefined ? [] : [experts.count];
  const suffix = experts === undefined ? "" : "_exps";
  return [
    vector(`${norm}.weight`, width, copy === undefined ? QUIET : 1),
    ...(architecture === "gemma3" ? [vector("post_ffw_norm.weight", width, copy === undefined ? QUIET : LOUD)] : []),
    ...(experts === undefined ? [] : [matrix("ffn_gate_inp.weight", "f32", [width, experts.count])]),
    matrix(`ffn_gate${suffix}.weight`, basic(packed), [width, inner, ...each], copy?.gate),
    matrix(`ffn_up${suffix}.weight`, basic(packed), [width, inner, ...each], copy?.up),
    matrix(`ffn_down${suffix}.weight`, down, [inner, width, ...each], copy?.down),
  ];
};

function layerOf(layer: number) {
  const name = (part: string) => `blk.${String(layer)}.${part}`;
  return {
    vector: (part: string, length: number, constant: number) => tensor(name(part), "f32", [length], { constant }),
    matrix: (part: string, packing: PackingName, shape: readonly number[], rowAt?: Weights["rowAt"]) =>
      tensor(name(part), packing, shape, rowAt && { rowAt }),
  };
}

/** Feed-forward weights that add the signs of the first half of their input, and a constant, to the second half. */
function copying(width: number, inner: number) {
  const half = width / 2;
  const only = (length: number, at: number, value: number) => {
    const row = new Float32Array(length);
    if (at >= 0 && at < half) row[at] = value;
    return row;
  };
  return {
    gate: (row: number) => only(width, row, 8),
    up: (row: number) => only(width, row, 1),
    down: (row: number) => only(inner, row - half, 1),
  };
}

/** The position counts among the layers that have values. A short convolution has none. */
function valuePacking({ layers, attention: having, delta }: LlamaShape, packed: LlamaPacking, layer: number) {
  const isImportant =
    having === undefined || delta !== undefined
      ? hasMoreBits(layer, layers)
      : hasMoreBits(having.indexOf(layer), having.length);
  return isImportant ? fine(packed) : basic(packed);
}

/** llama.cpp's mixture of Q4_K and Q6_K: the first and the last eighth, and every third between. */
function hasMoreBits(position: number, count: number): boolean {
  const eighth = Math.floor(count / 8);
  return position < eighth || position >= Math.floor((7 * count) / 8) || (position - eighth) % 3 === 2;
}

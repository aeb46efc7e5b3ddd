import { bytePairs, written } from "./byte-pairs.ts";
import { ggufFile, type GgufTensor, type GgufValue } from "./gguf.ts";
import type { PackingName } from "./packings.ts";
import { signs } from "./signs.ts";
import type { Piece, Weights } from "./write-pieces.ts";

/** What decides the size and the cost of a language model of the llama family. */
export interface LlamaShape {
  readonly architecture: "qwen2" | "qwen3" | "qwen3moe";
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly headWidth: number;
  /** Width of the feed-forward part, or of each expert. */
  readonly feedForward: number;
  readonly experts?: { readonly count: number; readonly used: number };
  /** Whether one matrix is both the embedding and the output. */
  readonly isTied: boolean;
}

export type LlamaPacking = "q4_k_m" | "q8_0";

/** What every rehearsal language model answers, whatever it is asked: no token of it comes twice. */
export const SAID =
  "This is only a rehearsal, so nothing was understood. Please install the real models before anyone calls you!";

/** Its tokens, with the spaces before them. */
export const SAID_TOKENS: readonly string[] = SAID.match(/ ?[A-Za-z]+|[.,!]/gu) ?? [];

const CONTEXT = 32_768;
const FILE_TYPE: Readonly<Record<LlamaPacking, number>> = { q4_k_m: 15, q8_0: 7 };
const TOKEN_TYPE = { normal: 1, control: 3, unused: 5 };
const END = "<|im_end|>";
const CONTROLS = ["<|endoftext|>", "<|im_start|>", END];
const ROLES = ["system", "user", "assistant"];
const TEMPLATE =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/** The standard deviation of weights that say nothing. */
const NOISE = 5e-4;
/** The gain of layers that say nothing: what they add must stay small beside the tokens' rows. */
const QUIET = 0.05;
const MAGNITUDE = 0.25;

/**
 * A GGUF file of the given shape that answers `SAID`. The embedding of each token of the answer is the output row of the
 * next token; all other weights are small noise. `words` become one token each, so that prompts have as many tokens as
 * real ones.
 */
export function llamaFile(shape: LlamaShape, packed: LlamaPacking, words: readonly string[]): readonly Piece[] {
  const vocabulary = tokenizer(shape, words);
  const number = new Map(vocabulary.tokens.map((token, index) => [token, index]));
  const tokenOf = (text: string): number => number.get(text) ?? -1;
  const chain = [written("\n"), ...SAID_TOKENS.map(written), END].map(tokenOf);
  const next = new Map(chain.slice(0, -1).map((token, at) => [token, chain[at + 1] ?? 0]));
  const ends = new Set(chain.slice(1));
  return ggufFile({ ...facts(shape, packed), ...vocabulary.metadata(tokenOf) }, [
    ...(shape.isTied ? tiedEnds(shape, packed, next, ends) : openEnds(shape, packed, next, ends)),
    ...Array.from({ length: shape.layers }, (_, layer) => layerTensors(shape, packed, layer)).flat(),
  ]);
}

/** Bytes of the cache for one token of one caller. */
export const cacheBytesPerToken = ({ layers, keyHeads, headWidth }: LlamaShape): number =>
  2 * layers * keyHeads * headWidth * 2;

function facts(shape: LlamaShape, packed: LlamaPacking): Readonly<Record<string, GgufValue>> {
  const { architecture: name, experts } = shape;
  const counts = {
    context_length: CONTEXT,
    embedding_length: shape.width,
    block_count: shape.layers,
    feed_forward_length: shape.feedForward,
    "attention.head_count": shape.heads,
    "attention.head_count_kv": shape.keyHeads,
    "attention.key_length": shape.headWidth,
    "attention.value_length": shape.headWidth,
    ...(experts && {
      expert_count: experts.count,
      expert_used_count: experts.used,
      expert_feed_forward_length: shape.feedForward,
    }),
  };
  return {
    "general.architecture": { string: name },
    "general.name": { string: "rehearsal" },
    "general.file_type": { uint32: FILE_TYPE[packed] },
    "general.quantization_version": { uint32: 2 },
    ...Object.fromEntries(Object.entries(counts).map(([key, uint32]) => [`${name}.${key}`, { uint32 }])),
    [`${name}.attention.layer_norm_rms_epsilon`]: { float32: 1e-6 },
    [`${name}.rope.freq_base`]: { float32: 1e6 },
  };
}

function tokenizer({ vocabulary }: LlamaShape, words: readonly string[]) {
  const said = SAID_TOKENS.map((token) => token.trim()).filter((word) => /^\w/u.test(word));
  const pairs = bytePairs([...words, ...ROLES, ...said]);
  const spare = vocabulary - CONTROLS.length - pairs.tokens.length;
  if (spare < 0) throw new RangeError(`a vocabulary of ${String(vocabulary)} is too small`);
  const tokens = [
    ...pairs.tokens,
    ...Array.from({ length: spare }, (_, index) => `[unused${String(index)}]`),
    ...CONTROLS,
  ];
  const types = [
    ...pairs.tokens.map(() => TOKEN_TYPE.normal),
    ...Array.from({ length: spare }, () => TOKEN_TYPE.unused),
    ...CONTROLS.map(() => TOKEN_TYPE.control),
  ];
  const metadata = (tokenOf: (text: string) => number): Readonly<Record<string, GgufValue>> => ({
    "tokenizer.ggml.model": { string: "gpt2" },
    "tokenizer.ggml.pre": { string: "qwen2" },
    "tokenizer.ggml.tokens": { strings: tokens },
    "tokenizer.ggml.token_type": { int32s: types },
    "tokenizer.ggml.merges": { strings: pairs.merges },
    "tokenizer.ggml.eos_token_id": { uint32: tokenOf(END) },
    "tokenizer.ggml.bos_token_id": { uint32: tokenOf("<|endoftext|>") },
    "tokenizer.ggml.add_bos_token": { bool: false },
    "tokenizer.chat_template": { string: TEMPLATE },
  });
  return { tokens, metadata };
}

function openEnds(
  { width, vocabulary }: LlamaShape,
  packed: LlamaPacking,
  next: ReadonlyMap<number, number>,
  ends: ReadonlySet<number>,
): readonly GgufTensor[] {
  const rowOf = (token: number | undefined) => (token === undefined ? undefined : signs(token, width, MAGNITUDE));
  return [
    tensor("token_embd.weight", basic(packed), [width, vocabulary], { rowAt: (token) => rowOf(next.get(token)) }),
    tensor("output.weight", fine(packed), [width, vocabulary], {
      rowAt: (token) => (ends.has(token) ? rowOf(token) : undefined),
    }),
    tensor("output_norm.weight", "f32", [width], { constant: 1 }),
  ];
}

/**
 * The first half of a token's row names the next token, the second half the token itself. The first layer copies the first
 * half over the second, louder (see `copying`); the output is read from the second half.
 */
function tiedEnds(
  { width, vocabulary }: LlamaShape,
  packed: LlamaPacking,
  next: ReadonlyMap<number, number>,
  ends: ReadonlySet<number>,
): readonly GgufTensor[] {
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
    tensor("output_norm.weight", "f32", [width], { rowAt: () => second }),
  ];
}

function layerTensors(shape: LlamaShape, packed: LlamaPacking, layer: number): readonly GgufTensor[] {
  const { architecture, width, heads, keyHeads, headWidth, feedForward, experts, isTied } = shape;
  const name = (part: string) => `blk.${String(layer)}.${part}`;
  const [queries, keys] = [heads * headWidth, keyHeads * headWidth];
  const important = hasMoreBits(layer, shape.layers) ? fine(packed) : basic(packed);
  const copy = isTied && layer === 0 ? copying(width, feedForward) : undefined;
  const one = (part: string, length: number, constant: number) => tensor(name(part), "f32", [length], { constant });
  const matrix = (part: string, packing: PackingName, shapeOf: readonly number[], rowAt?: Weights["rowAt"]) =>
    tensor(name(part), packing, shapeOf, rowAt && { rowAt });
  const each = experts === undefined ? [] : [experts.count];
  const suffix = experts === undefined ? "" : "_exps";
  return [
    one("attn_norm.weight", width, QUIET),
    one("ffn_norm.weight", width, copy === undefined ? QUIET : 1),
    matrix("attn_q.weight", basic(packed), [width, queries]),
    matrix("attn_k.weight", basic(packed), [width, keys]),
    matrix("attn_v.weight", important, [width, keys]),
    matrix("attn_output.weight", basic(packed), [queries, width]),
    ...(architecture === "qwen2"
      ? [one("attn_q.bias", queries, 0), one("attn_k.bias", keys, 0), one("attn_v.bias", keys, 0)]
      : [one("attn_q_norm.weight", headWidth, 1), one("attn_k_norm.weight", headWidth, 1)]),
    ...(experts === undefined ? [] : [matrix("ffn_gate_inp.weight", "f32", [width, experts.count])]),
    matrix(`ffn_gate${suffix}.weight`, basic(packed), [width, feedForward, ...each], copy?.gate),
    matrix(`ffn_up${suffix}.weight`, basic(packed), [width, feedForward, ...each], copy?.up),
    matrix(`ffn_down${suffix}.weight`, important, [feedForward, width, ...each], copy?.down),
  ];
}

/** Weights of a feed-forward part that adds the signs of the first half of its input, and a constant, to the second half. */
function copying(width: number, feedForward: number) {
  const half = width / 2;
  const only = (length: number, at: number, value: number) => {
    const row = new Float32Array(length);
    if (at >= 0 && at < half) row[at] = value;
    return row;
  };
  return {
    gate: (row: number) => only(width, row, 8),
    up: (row: number) => only(width, row, 1),
    down: (row: number) => only(feedForward, row - half, 1),
  };
}

/** llama.cpp's mixture of Q4_K and Q6_K: the first and the last eighth of the layers, and every third between. */
function hasMoreBits(layer: number, layers: number): boolean {
  const eighth = Math.floor(layers / 8);
  return layer < eighth || layer >= Math.floor((7 * layers) / 8) || (layer - eighth) % 3 === 2;
}

const basic = (packed: LlamaPacking): PackingName => (packed === "q8_0" ? "q8_0" : "q4_k");
const fine = (packed: LlamaPacking): PackingName => (packed === "q8_0" ? "q8_0" : "q6_k");

function tensor(
  name: string,
  packing: PackingName,
  shape: readonly number[],
  values: Pick<Weights, "constant" | "rowAt"> = {},
): GgufTensor {
  const [rowLength = 1, ...rest] = shape;
  const rows = rest.reduce((product, length) => product * length, 1);
  return { name, shape, packing, rowLength, rows, noise: NOISE, ...values };
}

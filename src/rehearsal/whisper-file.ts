import { PACKINGS, type PackingName } from "./packings.ts";
import { signs } from "./signs.ts";
import type { Piece, Weights } from "./write-pieces.ts";

/** What decides the size and the cost of a Whisper model. Sound and text have the same width and heads. */
export interface WhisperShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly heads: number;
  readonly audioLayers: number;
  readonly textLayers: number;
  readonly mels: number;
}

export type WhisperPacking = "f16" | "q5_0" | "q5_1" | "q8_0";

/** What every rehearsal recogniser understands, whatever is said. */
export const HEARD = "this is only a rehearsal and nobody understood what you said";

const AUDIO_CONTEXT = 1_500;
const TEXT_CONTEXT = 448;
const FILTER_COLUMNS = 201;
const MAGIC = 0x67676d6c;
/** The packing in the header: whisper.cpp numbers it otherwise than in the tensors; 2000 is the version of the blocks. */
const HEADER_PACKING: Readonly<Record<WhisperPacking, number>> = { f16: 1, q5_0: 2008, q5_1: 2009, q8_0: 2007 };
/** Vocabularies above this are multilingual; their prompt has two tokens more. */
const ENGLISH_VOCABULARY = 51_864;

/** The standard deviation of weights that say nothing. */
const NOISE = 0.009;
/** A word's row in the token embedding, and the same row in the positional embedding of the place where it is said. */
const WORD_MAGNITUDE = 0.25;
const PLACE_MAGNITUDE = 4;

/**
 * A whisper.cpp model file of the given shape. Its decoder says `HEARD` and ends: the positional embedding of each place
 * points at the row of the word that belongs there, and all other weights are small noise.
 */
export function whisperFile(shape: WhisperShape, packed: WhisperPacking): readonly Piece[] {
  const { vocabulary, width, heads, audioLayers, textLayers, mels } = shape;
  const isMultilingual = vocabulary > ENGLISH_VOCABULARY;
  const words = HEARD.split(" ").map((word) => ` ${word}`);
  const endOfText = isMultilingual ? 50_257 : 50_256;
  const promptTokens = isMultilingual ? 4 : 2;
  const tokenAt = (place: number): number => {
    const word = place - (promptTokens - 1);
    return word >= 0 && word < words.length ? word : endOfText;
  };
  const header = Buffer.from(
    Int32Array.of(
      MAGIC,
      vocabulary,
      AUDIO_CONTEXT,
      width,
      heads,
      audioLayers,
      TEXT_CONTEXT,
      width,
      heads,
      textLayers,
      mels,
      HEADER_PACKING[packed],
      mels,
      FILTER_COLUMNS,
    ).buffer,
  );
  // Filters of zeros: every sound is silence to this model, at the same cost.
  const filters = Buffer.alloc(mels * FILTER_COLUMNS * 4);
  // whisper.cpp looks for a token that is a space.
  const spoken = [...words, " "];
  const names = Array.from({ length: endOfText }, (_, token) => spoken[token] ?? `x${String(token)}`);
  return [
    header,
    filters,
    ints(endOfText),
    Buffer.concat(names.flatMap((name) => [ints(name.length), Buffer.from(name)])),
    ...tensors("encoder.positional_embedding", "f32", [width, AUDIO_CONTEXT]),
    ...tensors("encoder.conv1.weight", "f16", [3, mels, width]),
    ...tensors("encoder.conv1.bias", "f32", [1, width], { constant: 0 }),
    ...tensors("encoder.conv2.weight", "f16", [3, width, width]),
    ...tensors("encoder.conv2.bias", "f32", [1, width], { constant: 0 }),
    ...norm("encoder.ln_post", width),
    ...layers("encoder", audioLayers, width, packed, ["attn"]),
    ...tensors("decoder.positional_embedding", "f32", [width, TEXT_CONTEXT], {
      rowAt: (place) => signs(tokenAt(place), width, PLACE_MAGNITUDE),
    }),
    ...tensors("decoder.token_embedding.weight", packed, [width, vocabulary], {
      rowAt: (token) => (token < words.length || token === endOfText ? signs(token, width, WORD_MAGNITUDE) : undefined),
    }),
    ...norm("decoder.ln", width),
    ...layers("decoder", textLayers, width, packed, ["attn", "cross_attn"]),
  ];
}

function layers(
  side: string,
  count: number,
  width: number,
  packed: PackingName,
  attentions: readonly string[],
): readonly Piece[] {
  return Array.from({ length: count }, (_, index) => `${side}.blocks.${String(index)}`).flatMap((block) => [
    ...norm(`${block}.mlp_ln`, width),
    ...linear(`${block}.mlp.0`, width, 4 * width, packed),
    ...linear(`${block}.mlp.2`, 4 * width, width, packed),
    ...attentions.flatMap((name) => [
      ...norm(`${block}.${name}_ln`, width),
      ...linear(`${block}.${name}.query`, width, width, packed),
      ...tensors(`${block}.${name}.key.weight`, packed, [width, width]),
      ...linear(`${block}.${name}.value`, width, width, packed),
      ...linear(`${block}.${name}.out`, width, width, packed),
    ]),
  ]);
}

const norm = (name: string, width: number): readonly Piece[] => [
  ...tensors(`${name}.weight`, "f32", [width], { constant: 1 }),
  ...tensors(`${name}.bias`, "f32", [width], { constant: 0 }),
];

const linear = (name: string, from: number, to: number, packed: PackingName): readonly Piece[] => [
  ...tensors(`${name}.weight`, packed, [from, to]),
  ...tensors(`${name}.bias`, "f32", [to], { constant: 0 }),
];

/** A tensor's head and its weights. `shape`: innermost first, as in the file. */
function tensors(
  name: string,
  packed: PackingName,
  shape: readonly number[],
  values: Pick<Weights, "constant" | "rowAt"> = {},
): readonly Piece[] {
  const [rowLength = 1, ...rest] = shape;
  const rows = rest.reduce((product, length) => product * length, 1);
  const head = Buffer.concat([ints(shape.length, name.length, PACKINGS[packed].id, ...shape), Buffer.from(name)]);
  return [head, { packing: packed, rowLength, rows, noise: NOISE, ...values }];
}

const ints = (...values: readonly number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);

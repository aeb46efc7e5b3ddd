import { GGML_MAGIC, HEADER_PACKING, norm, tensor, wordList } from "./ggml-tensors.ts";
import type { PackingName } from "./packings.ts";
import { signs } from "./signs.ts";
import type { Piece } from "./write-pieces.ts";

/** Dimensions that determine the size and the cost of a Whisper model. Sound and text have the same width and heads. */
export interface WhisperShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly heads: number;
  readonly audioLayers: number;
  readonly textLayers: number;
  readonly mels: number;
}

export type WhisperPacking = "f16" | "q5_0" | "q5_1" | "q8_0";

/** The text that each rehearsal recogniser returns for any audio. */
export const HEARD = "this is only a rehearsal";

const AUDIO_CONTEXT = 1_500;
const TEXT_CONTEXT = 448;
const FILTER_COLUMNS = 201;
/** Vocabularies above this are multilingual; their prompt has two tokens more. */
const ENGLISH_VOCABULARY = 51_864;

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
      GGML_MAGIC,
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
    wordList(names),
    ...tensor("encoder.positional_embedding", "f32", [width, AUDIO_CONTEXT]),
    ...tensor("encoder.conv1.weight", "f16", [3, mels, width]),
    ...tensor("encoder.conv1.bias", "f32", [1, width], { constant: 0 }),
    ...tensor("encoder.conv2.weight", "f16", [3, width, width]),
    ...tensor("encoder.conv2.bias", "f32", [1, width], { constant: 0 }),
    ...norm("encoder.ln_post", width),
    ...layers("encoder", audioLayers, width, packed, ["attn"]),
    ...tensor("decoder.positional_embedding", "f32", [width, TEXT_CONTEXT], {
      rowAt: (place) => signs(tokenAt(place), width, PLACE_MAGNITUDE),
    }),
    ...tensor("decoder.token_embedding.weight", packed, [width, vocabulary], {
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
      ...tensor(`${block}.${name}.key.weight`, packed, [width, width]),
      ...linear(`${block}.${name}.value`, width, width, packed),
      ...linear(`${block}.${name}.out`, width, width, packed),
    ]),
  ]);
}

const linear = (name: string, from: number, to: number, packed: PackingName): readonly Piece[] => [
  ...tensor(`${name}.weight`, packed, [from, to]),
  ...tensor(`${name}.bias`, "f32", [to], { constant: 0 }),
];

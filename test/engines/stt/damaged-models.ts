import { readFileSync } from "node:fs";
import { STARTER_MODEL } from "./support.ts";

/** The beginning of the starter's file. It ends between two tensors. */
const whole = readFileSync(STARTER_MODEL).subarray(0, 6_389_119);

/** The beginning with one changed number. */
function withInt(at: number, value: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes.writeUInt32LE(value, at);
  return bytes;
}

const withField = (index: number, value: number) => withInt(index * 4, value);
// The number of words follows the header and the mel filters. Then come the length and letters of each word.
const words = 56 + 80 * 201 * 4;
const withWordField = (offset: number, value: number) => withInt(words + offset, value);
const longWords = Buffer.alloc(50_257 * 64, Buffer.from([60, 0, 0, 0, ...Buffer.alloc(60, "a")]));
const onlyWords = Buffer.concat([whole.subarray(0, words + 4), longWords]);
// A tensor is: dimensions, length of the name, type, shape, name, weights.
const tensor = (name: string, dimensions: number) => whole.indexOf(name) - (3 + dimensions) * 4;
const first = tensor("encoder.positional_embedding", 2);
const fourth = tensor("encoder.conv2.weight", 3);
const bias = tensor("encoder.conv2.bias", 2);
const afterBias = tensor("encoder.ln_post.weight", 1);
const twice = Buffer.concat([whole.subarray(0, afterBias), whole.subarray(bias, afterBias), whole.subarray(afterBias)]);

/** Sizes in the header of a Whisper file. */
interface Shape {
  readonly vocabulary?: number;
  readonly width?: number;
  /** In the text decoder. */
  readonly layers?: number;
}

/** The beginning under the header of another model. The header check does not read the tensors. */
export function withShape({ vocabulary, width, layers }: Shape): Buffer {
  const bytes = Buffer.from(whole);
  const set = (field: number, value: number | undefined) => value !== undefined && bytes.writeInt32LE(value, field * 4);
  set(1, vocabulary);
  for (const field of [3, 7]) set(field, width);
  set(9, layers);
  return bytes;
}

export const CUT_BETWEEN_TENSORS = whole.subarray(0, fourth);
export const BAD_TENSOR_TYPE = withInt(fourth + 8, 123_456);

/** The damage, the beginning of the starter's file with this damage, and the expected message. */
export const DAMAGED_MODELS: readonly (readonly [what: string, content: Buffer, reason: RegExp])[] = [
  ["is empty", Buffer.alloc(0), /cut off/u],
  ["is cut off in its header", whole.subarray(0, 20), /cut off/u],
  ["is cut off in its vocabulary", whole.subarray(0, 100_000), /cut off/u],
  ["is cut off before its first tensor", whole.subarray(0, first), /cut off/u],
  ["is cut off in a tensor", whole.subarray(0, 5_000_000), /cut off/u],
  ["is cut off by a byte", whole.subarray(0, -1), /cut off/u],
  ["is not a model", readFileSync(import.meta.filename), /bad magic/u],
  ["has no heads", withField(8, 0), /header is damaged/u],
  ["has another width for text", withField(7, 64), /header is damaged/u],
  ["has no mel filters", withField(12, 0), /header is damaged/u],
  ["hears for hours at once", withField(2, 2 ** 20), /header is damaged/u],
  ["has millions of layers", withField(9, 2 ** 23), /header is damaged/u],
  ["has too few words for Whisper's special tokens", withField(1, 300), /header is damaged/u],
  ["has an unknown type", withField(11, 7_777), /header is damaged/u],
  ["is of a type whose blocks its rows do not fill", withShape({ width: 520 }), /header is damaged/u],
  // For these files whisper.cpp allocated all memory of the machine.
  ["has an endless vocabulary", withWordField(0, 2 ** 31 - 1), /vocabulary is damaged/u],
  ["has a word of ten megabytes", withWordField(4, 10_000_000), /vocabulary is damaged/u],
  ["has words and nothing else", onlyWords, /cut off/u],
  // On these files it crashed.
  ["has a tensor of an unknown type", BAD_TENSOR_TYPE, /tensor 4 is damaged/u],
  ["has a tensor of a negative type", withInt(fourth + 8, 0x8000_0000), /tensor 4 is damaged/u],
  ["has a tensor with a name of two gigabytes", withInt(fourth + 4, 0x7fff_ffff), /tensor 4 is damaged/u],
  ["has a tensor with a name of negative length", withInt(fourth + 4, 0xffff_fff0), /tensor 4 is damaged/u],
  ["has a tensor of a million dimensions", withInt(fourth, 1_000_000), /tensor 4 is damaged/u],
  ["has a tensor without rows", withInt(fourth + 16, 0), /tensor 4 is damaged/u],
  ["has a tensor larger than the file", withInt(fourth + 16, 2 ** 30), /cut off/u],
  ["has a tensor twice", twice, /tensor 6 is damaged/u],
];

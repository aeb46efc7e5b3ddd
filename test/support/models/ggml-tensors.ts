import { PACKINGS, type PackingName } from "./packings.ts";
import type { Piece, Weights } from "./write-pieces.ts";

/** First number of whisper.cpp's model files. */
export const GGML_MAGIC = 0x67676d6c;

/** How the header numbers packings. 2000 is the version of the blocks. */
export const HEADER_PACKING = { f16: 1, q4_k: 2012, q5_0: 2008, q5_1: 2009, q8_0: 2007 } as const;

/** The standard deviation of weights without meaning. */
const NOISE = 0.009;

/** A tensor's head and its weights, as whisper.cpp's model files hold them. `shape`: innermost first. */
export function tensor(
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

/** The weights of a layer norm that changes nothing. */
export const norm = (name: string, width: number): readonly Piece[] => [
  ...tensor(`${name}.weight`, "f32", [width], { constant: 1 }),
  ...tensor(`${name}.bias`, "f32", [width], { constant: 0 }),
];

export const ints = (...values: readonly number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);

/** Each word's length and letters, after the number of words. */
export const wordList = (words: readonly string[]): Buffer =>
  Buffer.concat([ints(words.length), ...words.flatMap((word) => [ints(Buffer.byteLength(word)), Buffer.from(word)])]);

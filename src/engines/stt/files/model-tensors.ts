import { readSync } from "node:fs";

/** ggml's packings by their number in the file: weights and bytes of a block. */
const PACKINGS: ReadonlyMap<number, readonly [weights: number, bytes: number]> = new Map([
  [0, [1, 4]],
  [1, [1, 2]],
  [2, [32, 18]],
  [3, [32, 20]],
  [6, [32, 22]],
  [7, [32, 24]],
  [8, [32, 34]],
  [10, [256, 84]],
  [11, [256, 110]],
  [12, [256, 144]],
  [13, [256, 176]],
  [14, [256, 210]],
]);
const MOST_DIMENSIONS = 4;
/** The longest tensor name of the published models has 53. */
const MAX_NAME_BYTES = 128;
/** Header of a tensor: dimensions, length of its name, packing. */
const HEAD_BYTES = 12;

/**
 * Walks from tensor to tensor to the end of the file. whisper.cpp checks names and shapes but trusts types and lengths, and it
 * counts a repeated tensor in place of a missing one.
 */
export function checkTensors(file: number, start: number, size: number): void {
  const names = new Set<string>();
  let at = start;
  while (at + HEAD_BYTES <= size) {
    const [dimensions = 0, nameBytes = 0, type = -1] = readInts(file, at, 3);
    const packing = PACKINGS.get(type);
    if (dimensions < 0 || dimensions > MOST_DIMENSIONS || !isWithin(nameBytes, MAX_NAME_BYTES) || packing === undefined)
      throw damaged(names.size);
    const shape = readInts(file, at + HEAD_BYTES, dimensions);
    const nameAt = at + HEAD_BYTES + shape.byteLength;
    const name = readName(file, nameAt, nameBytes);
    const weights = shape.reduce((product, length) => product * length, 1);
    if (!shape.every((length) => length > 0) || (shape[0] ?? 1) % packing[0] > 0 || names.has(name))
      throw damaged(names.size);
    names.add(name);
    at = nameAt + nameBytes + (weights / packing[0]) * packing[1];
    if (at > size) throw new Error("the file is cut off");
  }
  if (names.size === 0 || at !== size) throw new Error("the file is cut off");
}

/** Weights in a block of a packing. Rows are whole blocks. */
export const blockOf = (type: number): number => PACKINGS.get(type)?.[0] ?? 1;

const isWithin = (value: number, most: number) => value > 0 && value <= most;
const damaged = (index: number) => new Error(`its tensor ${String(index + 1)} is damaged`);

export function readInts(file: number, position: number, count: number): Int32Array {
  const ints = new Int32Array(count);
  if (readSync(file, ints, { position }) < ints.byteLength) throw new Error("the file is cut off");
  return ints;
}

function readName(file: number, position: number, bytes: number): string {
  const name = Buffer.alloc(bytes);
  readSync(file, name, { position });
  return name.toString("latin1");
}

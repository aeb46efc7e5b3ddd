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

/** A tensor of a file. */
export interface StoredTensor {
  readonly name: string;
  /** The innermost dimension first. */
  readonly shape: readonly number[];
  /** ggml's number of the packing. */
  readonly type: number;
  /** Place of the weights in the file, and their bytes. */
  readonly at: number;
  readonly bytes: number;
}

/**
 * The tensors up to the end of the file. whisper.cpp checks names and shapes but trusts types and lengths, and it counts a repeated
 * tensor in place of a missing one. Throws at the first damage.
 */
export function readTensorHeads(file: number, start: number, size: number): ReadonlyMap<string, StoredTensor> {
  const tensors = new Map<string, StoredTensor>();
  let at = start;
  while (at + HEAD_BYTES <= size) {
    const [dimensions = 0, nameBytes = 0, type = -1] = readInts(file, at, 3);
    const packing = PACKINGS.get(type);
    if (dimensions < 0 || dimensions > MOST_DIMENSIONS || !isWithin(nameBytes, MAX_NAME_BYTES) || packing === undefined)
      throw damaged(tensors.size);
    const shape = readInts(file, at + HEAD_BYTES, dimensions);
    const nameAt = at + HEAD_BYTES + shape.byteLength;
    const name = readName(file, nameAt, nameBytes);
    const weights = shape.reduce((product, length) => product * length, 1);
    if (!shape.every((length) => length > 0) || (shape[0] ?? 1) % packing[0] > 0 || tensors.has(name))
      throw damaged(tensors.size);
    const weightsAt = nameAt + nameBytes;
    const bytes = (weights / packing[0]) * packing[1];
    tensors.set(name, { name, shape: [...shape], type, at: weightsAt, bytes });
    at = weightsAt + bytes;
    if (at > size) throw new Error("the file is cut off");
  }
  if (tensors.size === 0 || at !== size) throw new Error("the file is cut off");
  return tensors;
}

/** How the weights of a packing are read. `bytes` holds whole blocks. */
const READERS: ReadonlyMap<number, (bytes: DataView, weights: Float32Array) => void> = new Map([
  [0, (bytes, weights) => weights.forEach((_, at) => (weights[at] = bytes.getFloat32(at * 4, true)))],
  [1, (bytes, weights) => weights.forEach((_, at) => (weights[at] = half(bytes.getUint16(at * 2, true))))],
  [
    8,
    (bytes, weights) => {
      for (let block = 0; block * 32 < weights.length; block++) {
        const scale = half(bytes.getUint16(block * 34, true));
        for (let at = 0; at < 32; at++) weights[block * 32 + at] = scale * bytes.getInt8(block * 34 + 2 + at);
      }
    },
  ],
]);

export const canReadWeights = ({ type }: StoredTensor): boolean => READERS.has(type);

/** Weights of a tensor for which `canReadWeights` is true. */
export function readWeights(file: number, { shape, type, at, bytes }: StoredTensor): Float32Array {
  const packed = new Uint8Array(bytes);
  if (readSync(file, packed, { position: at }) < bytes) throw new Error("the file is cut off");
  const weights = new Float32Array(shape.reduce((product, length) => product * length, 1));
  READERS.get(type)?.(new DataView(packed.buffer), weights);
  return weights;
}

/** A number of 16 bits (IEEE 754) from its bits. */
function half(bits: number): number {
  const sign = bits < 2 ** 15 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1_023) / 1_024;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -14 : sign * (1 + fraction) * 2 ** (exponent - 15);
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

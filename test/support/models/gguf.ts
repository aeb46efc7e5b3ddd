import { PACKINGS } from "./packings.ts";
import { pieceBytes, type Piece, type Weights } from "./write-pieces.ts";

/** A value of the file's metadata, with the type that the format knows it by. */
export type GgufValue =
  | { readonly uint32: number }
  | { readonly float32: number }
  | { readonly bool: boolean }
  | { readonly string: string }
  | { readonly strings: readonly string[] }
  | { readonly int32s: readonly number[] };

export interface GgufTensor extends Weights {
  readonly name: string;
  /** Innermost first. */
  readonly shape: readonly number[];
}

const VERSION = 3;
const ALIGNMENT = 32;
const TYPES = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;

/** A GGUF file. */
export function ggufFile(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): readonly Piece[] {
  const heads: Buffer[] = [];
  const data: Piece[] = [];
  let offset = 0;
  for (const tensor of tensors) {
    const { name, shape, packing } = tensor;
    heads.push(string(name), uint32(shape.length), ...shape.map(uint64), uint32(PACKINGS[packing].id), uint64(offset));
    const padding = paddingOf(pieceBytes(tensor));
    data.push(tensor, padding);
    offset += pieceBytes(tensor) + padding.length;
  }
  const entries = Object.entries(metadata);
  const head = Buffer.concat([
    Buffer.from("GGUF"),
    uint32(VERSION),
    uint64(tensors.length),
    uint64(entries.length),
    ...entries.flatMap(([key, value]) => [string(key), encode(value)]),
    ...heads,
  ]);
  return [head, paddingOf(head.length), ...data];
}

function encode(value: GgufValue): Buffer {
  if ("uint32" in value) return Buffer.concat([uint32(TYPES.uint32), uint32(value.uint32)]);
  if ("bool" in value) return Buffer.concat([uint32(TYPES.bool), Buffer.of(value.bool ? 1 : 0)]);
  if ("string" in value) return Buffer.concat([uint32(TYPES.string), string(value.string)]);
  if ("float32" in value) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value.float32);
    return Buffer.concat([uint32(TYPES.float32), bytes]);
  }
  const [type, items, item] =
    "strings" in value
      ? ([TYPES.string, value.strings.length, value.strings.map(string)] as const)
      : ([TYPES.int32, value.int32s.length, [Buffer.from(Int32Array.from(value.int32s).buffer)]] as const);
  return Buffer.concat([uint32(TYPES.array), uint32(type), uint64(items), ...item]);
}

const paddingOf = (bytes: number): Buffer => Buffer.alloc((ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT);

const string = (text: string): Buffer => Buffer.concat([uint64(Buffer.byteLength(text)), Buffer.from(text)]);

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

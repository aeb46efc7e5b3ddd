import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Metadata of a GGUF file. For a list of texts, only its length is kept. */
export type GgufMetadata = ReadonlyMap<string, GgufFact>;
type GgufFact = number | string | boolean | readonly number[] | { readonly length: number };

/** Vocabularies of 262,144 words and their merges take 12 MB. */
export const MOST_HEADER_BYTES = 64e6;
const MOST_NUMBERS = 4_096;
const STRING = 8;
const LIST = 9;
const SCALARS: Readonly<
  Record<number, readonly [bytes: number, read: (view: DataView, at: number) => number | boolean]>
> = {
  0: [1, (view, at) => view.getUint8(at)],
  1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)],
  3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)],
  5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)],
  7: [1, (view, at) => view.getUint8(at) !== 0],
  10: [8, (view, at) => Number(view.getBigUint64(at, true))],
  11: [8, (view, at) => Number(view.getBigInt64(at, true))],
  12: [8, (view, at) => view.getFloat64(at, true)],
};

/** @throws An error of the file system, or RangeError when the file is not a whole GGUF header. */
export function readGgufFile(path: string): GgufMetadata {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafe(Math.min(MOST_HEADER_BYTES, fstatSync(file).size));
    return readGgufMetadata(bytes.subarray(0, readSync(file, bytes)));
  } finally {
    closeSync(file);
  }
}

/** @param bytes The beginning of a file. @throws RangeError */
export const readGgufMetadata = (bytes: Buffer): GgufMetadata => readHeader(bytes).facts;

/**
 * The length of the header: metadata and the list of tensors, up to the first weight.
 * @param bytes The beginning of a file. @returns Undefined when the header goes on after `bytes`. @throws RangeError for no GGUF file.
 */
export function ggufHeaderBytes(bytes: Buffer): number | undefined {
  if (bytes.length >= 4) requireGguf(bytes);
  try {
    return readHeader(bytes).end();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function requireGguf(bytes: Buffer): void {
  if (bytes.toString("latin1", 0, 4) !== "GGUF") throw new RangeError("not a GGUF file");
}

const ALIGNMENT = 32;

/** `end`: reads the list of tensors after the facts. */
function readHeader(bytes: Buffer): { readonly facts: GgufMetadata; readonly end: () => number } {
  requireGguf(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 24;
  const length = () => {
    // Texts and lists of a header are shorter than 4 GB. A BigInt for each word of a vocabulary would be slow.
    const value = view.getUint32(at, true);
    at += 8;
    return value;
  };
  const skipText = () => {
    const size = length();
    at += size;
    if (at > bytes.length) throw new RangeError("the header is cut off");
    return size;
  };
  const text = (): string => {
    const size = skipText();
    return bytes.toString("utf8", at - size, at);
  };
  const scalar = (type: number): number | boolean => {
    const [size, read] = SCALARS[type] ?? [];
    if (size === undefined || read === undefined) throw new RangeError("the header is damaged");
    const value = read(view, at);
    at += size;
    return value;
  };
  const type = () => Number(scalar(4));
  const list = (): GgufFact => {
    const [item, count] = [type(), length()];
    if (item !== STRING && count <= MOST_NUMBERS) return Array.from({ length: count }, () => Number(scalar(item)));
    for (let index = 0; index < count; index += 1)
      if (item === STRING) skipText();
      else scalar(item);
    return { length: count };
  };
  const facts = new Map<string, GgufFact>();
  for (let left = Number(view.getBigUint64(16, true)); left > 0; left -= 1) {
    const key = text();
    const kind = type();
    facts.set(key, kind === STRING ? text() : kind === LIST ? list() : scalar(kind));
  }
  const end = () => {
    for (let left = Number(view.getBigUint64(8, true)); left > 0; left -= 1) {
      skipText();
      const dimensions = view.getUint32(at, true);
      at += 4 + 8 * dimensions + 4 + 8;
    }
    const alignment = facts.get("general.alignment");
    const step = typeof alignment === "number" && alignment > 0 ? alignment : ALIGNMENT;
    at = Math.ceil(at / step) * step;
    if (at > bytes.length) throw new RangeError("the header is cut off");
    return at;
  };
  return { facts, end };
}

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { errorMessage, OakError } from "../shared/errors.ts";
import { blockOf, checkTensors } from "./model-tensors.ts";

const MAGIC = 0x67676d6c;
/** Mel filters reach over so many frequencies in every Whisper model. */
const FILTER_COLUMNS = 201;
/** Words, then context, width, heads and layers of sound and of text, mel bands. The marks of every Whisper model are words above 50,256. */
const LEAST = [51_864, 1, 1, 1, 1, 16, 1, 1, 1, 1];
/** Well beyond the largest model there is. */
const MOST = [2 ** 18, 2 ** 12, 2 ** 13, 2 ** 8, 2 ** 8, 2 ** 12, 2 ** 13, 2 ** 8, 2 ** 8, 2 ** 8];
/** How weights are packed, less 1000 for each version of quantising; the header counts otherwise than the tensors. */
const PACKINGS: ReadonlyMap<number, number> = new Map([
  ...[0, 1, 2, 3, 10, 11, 12, 13, 14].map((type) => [type, type] as const),
  [7, 8],
  [8, 6],
  [9, 7],
]);
/** The longest words of the published models have some hundred bytes; all of them together half a megabyte. */
const MAX_WORD_BYTES = 1_024;
const MAX_VOCABULARY_BYTES = 2 ** 23;

/** Text layers of the published models, and heads of each. whisper.cpp crashes when it is to align by heads that are not there. */
const PUBLISHED: Readonly<Record<string, readonly [layers: number, heads: number]>> = {
  tiny: [4, 6],
  base: [6, 8],
  small: [12, 12],
  medium: [24, 16],
  large: [32, 20],
  "large-v3-turbo": [4, 20],
};

/**
 * For a model file (ggml) that whisper.cpp would crash on, or stay busy with; it finds the rest itself.
 * `name`: the published model that the file is named after; "all" is none.
 * @throws OakError `STT_MODEL_UNUSABLE`.
 */
export function checkModelFile(path: string, name = "all"): void {
  try {
    checkName(name, readHeader(path));
  } catch (error) {
    throw modelUnusable(path, error);
  }
}

export function modelUnusable(path: string, cause: unknown): OakError {
  const message = `The speech-to-text model ${path} cannot be loaded: ${errorMessage(cause)}`;
  return new OakError(message, { code: "STT_MODEL_UNUSABLE", cause });
}

interface Header {
  readonly layers: number;
  readonly heads: number;
}

function checkName(name: string, { layers, heads }: Header): void {
  const [itsLayers, itsHeads] = PUBLISHED[name.replace(/\.en$|-v[123]$/u, "")] ?? [layers, heads];
  if (itsLayers === layers && itsHeads === heads) return;
  throw new Error(
    `it is named like Whisper's ${name} (${String(itsLayers)} text layers of ${String(itsHeads)} heads), but holds another model ` +
      `(${String(layers)} of ${String(heads)}): name it after what it holds, or fetch it again`,
  );
}

function readHeader(path: string): Header {
  const file = openSync(path, "r");
  try {
    const header = new Int32Array(14);
    if (readSync(file, header) < header.byteLength) throw new Error("the file is cut off");
    if (header[0] !== MAGIC) throw new Error("it is no whisper.cpp model (bad magic)");
    const sizes = header.subarray(1, 11);
    const [vocabulary = 0, , width = 0, heads = 0, , , textWidth, textHeads, layers = 0, mels = 0] = sizes;
    const packing = PACKINGS.get((header[11] ?? -1) % 1_000);
    const inRange = sizes.every((size, index) => size >= (LEAST[index] ?? 1) && size <= (MOST[index] ?? 0));
    const alike = width === textWidth && heads === textHeads && mels === header[12] && header[13] === FILTER_COLUMNS;
    if (!inRange || !alike || packing === undefined || width % heads > 0 || width % blockOf(packing) > 0)
      throw new Error("its header is damaged");
    const words = header.byteLength + mels * FILTER_COLUMNS * 4;
    checkTensors(file, endOfWords(file, words, vocabulary), fstatSync(file).size);
    return { layers, heads };
  } finally {
    closeSync(file);
  }
}

/** Where the vocabulary ends. whisper.cpp believes each length it reads, and asks the machine for as much memory. */
function endOfWords(file: number, start: number, most: number): number {
  const table = Buffer.alloc(MAX_VOCABULARY_BYTES);
  const bytes = table.subarray(0, readSync(file, table, { position: start }));
  const next = (at: number) => {
    if (at + 4 <= bytes.length) return bytes.readUInt32LE(at);
    throw new Error(bytes.length < table.length ? "the file is cut off" : "its vocabulary is damaged");
  };
  const count = next(0);
  if (count < 1 || count > most) throw new Error("its vocabulary is damaged");
  let at = 4;
  for (let word = 0; word < count; word += 1) {
    const length = next(at);
    if (length > MAX_WORD_BYTES) throw new Error("its vocabulary is damaged");
    at += 4 + length;
  }
  return start + at;
}

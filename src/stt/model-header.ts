import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const MAGIC = 0x67676d6c;
/** Mel filters reach over so many frequencies in every Whisper model. */
const FILTER_COLUMNS = 201;
/** Well beyond the largest model there is: words, then context, width, heads and layers of sound and of text, mel bands. */
const MOST = [2 ** 18, 2 ** 12, 2 ** 13, 2 ** 8, 2 ** 8, 2 ** 12, 2 ** 13, 2 ** 8, 2 ** 8, 2 ** 8];
/** How weights are stored, less 1000 for each version of quantising: whole, half, and what ggml quantises to. */
const TYPES = new Set([0, 1, 2, 3, 7, 8, 9, 10, 11, 12, 13, 14]);
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
 * Throws what is wrong with a model file (ggml) that whisper.cpp would crash on, or stay busy with; it finds the rest itself.
 * `name`: the published model that the file is named after, or anything else.
 */
export function checkModelFile(path: string, name: string): void {
  const { layers, heads } = readHeader(path);
  const [itsLayers, itsHeads] = PUBLISHED[name.replace(/\.en$|-v[123]$/u, "")] ?? [layers, heads];
  if (itsLayers === layers && itsHeads === heads) return;
  throw new Error(
    `it is named like Whisper's ${name} (${String(itsLayers)} text layers of ${String(itsHeads)} heads), but holds another model ` +
      `(${String(layers)} of ${String(heads)}): name it after what it holds, or fetch it again`,
  );
}

function readHeader(path: string): { readonly layers: number; readonly heads: number } {
  const file = openSync(path, "r");
  try {
    const header = new Int32Array(14);
    if (readSync(file, header) < header.byteLength) throw new Error("the file is cut off");
    if (header[0] !== MAGIC) throw new Error("it is no whisper.cpp model (bad magic)");
    const sizes = header.subarray(1, 11);
    const [vocabulary = 0, , width = 0, heads = 0, , , textWidth, textHeads, layers = 0, mels = 0] = sizes;
    const sane = sizes.every((size, index) => size > 0 && size <= (MOST[index] ?? 0)) && width % heads === 0;
    const alike = width === textWidth && heads === textHeads && mels === header[12] && header[13] === FILTER_COLUMNS;
    if (!sane || !alike || !TYPES.has((header[11] ?? -1) % 1_000)) throw new Error("its header is damaged");
    const words = header.byteLength + mels * FILTER_COLUMNS * 4;
    // whisper.cpp takes a file that ends before its first tensor for an empty test model. The token table alone needs
    // more than this, however it is quantised.
    const rest = fstatSync(file).size - (vocabulary * width) / 4;
    if (rest < words || rest < endOfWords(file, words, vocabulary)) throw new Error("the file is cut off");
    return { layers, heads };
  } finally {
    closeSync(file);
  }
}

/** Where the vocabulary ends. whisper.cpp believes each length it reads, and asks the machine for as much memory. */
function endOfWords(file: number, start: number, most: number): number {
  const table = Buffer.alloc(MAX_VOCABULARY_BYTES);
  const bytes = table.subarray(0, readSync(file, table, { position: start }));
  const count = bytes.length < 4 ? 0 : bytes.readInt32LE(0);
  let at = 4;
  for (let word = 0; word < count && word <= most; word += 1) {
    const length = at + 4 <= bytes.length ? bytes.readUInt32LE(at) : Infinity;
    if (length > MAX_WORD_BYTES) throw new Error("its vocabulary is damaged");
    at += 4 + length;
  }
  if (count < 1 || count > most) throw new Error("its vocabulary is damaged");
  return start + at;
}

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const MAGIC = 0x67676d6c;
/** Mel filters reach over so many frequencies in every Whisper model. */
const FILTER_COLUMNS = 201;
const MAX_SIZE = 2 ** 24;

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
    const [vocabulary = 0, , width = 0, heads = 0, , , textWidth, textHeads, layers = 0, mels] = sizes;
    const sane = sizes.every((size) => size > 0 && size < MAX_SIZE) && width % heads === 0;
    const alike = width === textWidth && heads === textHeads && mels === header[12] && header[13] === FILTER_COLUMNS;
    if (!sane || !alike) throw new Error("its header is damaged");
    // whisper.cpp takes a file that ends before its first tensor for an empty test model. The token table alone needs
    // more than this, however it is quantised.
    if (fstatSync(file).size < (vocabulary * width) / 4) throw new Error("the file is cut off");
    return { layers, heads };
  } finally {
    closeSync(file);
  }
}

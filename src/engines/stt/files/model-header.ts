import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { errorMessage, OakError } from "../../../shared/errors.ts";
import { blockOf, readTensorHeads, type StoredTensor } from "./model-tensors.ts";
import { WHISPER_LANGUAGES } from "./whisper-languages.ts";

export const GGML_MAGIC = 0x67676d6c;
/** Frequencies of the mel filters in every Whisper model. */
const FILTER_COLUMNS = 201;
/** Least values: words; context, width, heads and layers of audio and of text; mel bands. Special tokens of every Whisper model are above 50,256. */
const LEAST = [51_864, 1, 1, 1, 1, 16, 1, 1, 1, 1];
/** Largest accepted values, well above those of existing models. */
const MOST = [2 ** 18, 2 ** 12, 2 ** 13, 2 ** 8, 2 ** 8, 2 ** 12, 2 ** 13, 2 ** 8, 2 ** 8, 2 ** 8];
/** Packing in the tensors by the header's number, less 1000 for each quantisation version. */
export const PACKINGS: ReadonlyMap<number, number> = new Map([
  ...[0, 1, 2, 3, 10, 11, 12, 13, 14].map((type) => [type, type] as const),
  [7, 8],
  [8, 6],
  [9, 7],
]);
/** In published models the longest word has some hundred bytes, and all words together have half a megabyte. */
const MAX_WORD_BYTES = 1_024;
const MAX_VOCABULARY_BYTES = 2 ** 23;

/** Published Whisper models by their width and the number of their text layers. */
const PUBLISHED: Readonly<Record<string, string>> = {
  "384/4": "tiny",
  "512/6": "base",
  "768/12": "small",
  "1024/24": "medium",
  "1280/32": "large",
  "1280/4": "large-v3-turbo",
};
/** Widths of the published encoders. Models derived from them keep the width. All were trained on clips of 30 s. */
const PUBLISHED_WIDTHS = new Set([384, 512, 768, 1_024, 1_280]);
const ENGLISH_ONLY_VOCABULARY = 51_864;
const V3_VOCABULARY = 51_866;

/** Facts from a model's header. */
export interface ModelShape {
  /** The encoder was trained on clips of 30 s, as those of all published models are. */
  readonly wants30Seconds: boolean;
  /** The published model of this shape, by whisper.cpp's name for its alignment heads. */
  readonly published: string | undefined;
  /** Undefined when the file cannot be read. */
  readonly languages: readonly string[] | undefined;
}

/**
 * Refuses model files (ggml) on which whisper.cpp would crash or hang. whisper.cpp detects other faults itself.
 * @throws OakError `STT_MODEL_UNUSABLE`.
 */
export function checkModelFile(path: string): ModelShape {
  return openModel(path, ({ vocabulary, width, textLayers }) => ({
    wants30Seconds: PUBLISHED_WIDTHS.has(width),
    published: publishedModel(vocabulary, width, textLayers),
    languages: vocabulary === ENGLISH_ONLY_VOCABULARY ? ["en"] : WHISPER_LANGUAGES,
  }));
}

export function modelUnusable(path: string, cause: unknown): OakError {
  const message = `The speech-to-text model ${path} cannot be loaded: ${errorMessage(cause)}`;
  return new OakError(message, { code: "STT_MODEL_UNUSABLE", cause });
}

export interface OpenModel {
  /** The open file, while `use` runs. */
  readonly file: number;
  readonly vocabulary: number;
  /** `width`, `heads`, `audioLayers` and `mels`: sizes of the encoder. */
  readonly width: number;
  readonly heads: number;
  readonly audioLayers: number;
  readonly textLayers: number;
  readonly mels: number;
  readonly tensors: ReadonlyMap<string, StoredTensor>;
}

/** Opens a file that `checkModelFile` accepts. Throws like it, also for the errors of `use`. */
export function openModel<Result>(path: string, use: (model: OpenModel) => Result): Result {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    return use(readModel(file));
  } catch (error) {
    throw modelUnusable(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readModel(file: number): OpenModel {
  const header = new Int32Array(14);
  if (readSync(file, header) < header.byteLength) throw new Error("the file is cut off");
  if (header[0] !== GGML_MAGIC) throw new Error("not a whisper.cpp model (bad magic)");
  const sizes = header.subarray(1, 11);
  const [vocabulary = 0, , width = 0, heads = 0, audioLayers = 0, , textWidth, textHeads, textLayers = 0, mels = 0] =
    sizes;
  const packing = PACKINGS.get((header[11] ?? -1) % 1_000);
  const inRange = sizes.every((size, index) => size >= (LEAST[index] ?? 1) && size <= (MOST[index] ?? 0));
  const alike = width === textWidth && heads === textHeads && mels === header[12] && header[13] === FILTER_COLUMNS;
  if (!inRange || !alike || packing === undefined || width % heads > 0 || width % blockOf(packing) > 0)
    throw new Error("its header is damaged");
  const words = endOfWords(file, header.byteLength + mels * FILTER_COLUMNS * 4, vocabulary);
  const tensors = readTensorHeads(file, words, fstatSync(file).size);
  return { file, vocabulary, width, heads, audioLayers, textLayers, mels, tensors };
}

/** large-v1 has the shape of large-v2 but other alignment heads. */
function publishedModel(vocabulary: number, width: number, layers: number): string | undefined {
  const name = PUBLISHED[`${String(width)}/${String(layers)}`];
  if (name === "large") return vocabulary === V3_VOCABULARY ? "large-v3" : "large-v2";
  if (name === "large-v3-turbo") return vocabulary === V3_VOCABULARY ? name : undefined;
  return vocabulary === ENGLISH_ONLY_VOCABULARY && name !== undefined ? `${name}.en` : name;
}

/** End of the vocabulary. whisper.cpp trusts each length in it and allocates that much memory. */
export function endOfWords(file: number, start: number, most: number): number {
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

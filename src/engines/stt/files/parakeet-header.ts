import { closeSync, fstatSync, openSync } from "node:fs";
import { endOfWords, GGML_MAGIC, modelUnusable, PACKINGS } from "./model-header.ts";
import { blockOf, readTensorHeads, readInts } from "./model-tensors.ts";

/** The header's fields in order, each with the largest value that whisper.cpp accepts. */
const MOST = {
  vocabulary: 8_192,
  audioContext: 5_000,
  width: 1_024,
  heads: 8,
  layers: 24,
  mels: 128,
  packing: 2_999,
  fft: 512,
  subsampling: 8,
  channels: 256,
  kernel: 9,
  predictionWidth: 640,
  predictionLayers: 2,
  durations: 5,
  tokensPerFrame: 10,
} as const;
type Header = Readonly<Record<keyof typeof MOST, number>>;

const FIELDS = Object.entries(MOST) as readonly (readonly [keyof Header, number])[];
/** The magic number and the fields. */
const HEADER_INTS = 1 + FIELDS.length;
/** Three convolutions halve the frame rate in every model. */
const SUBSAMPLING = 8;
/** Frames that one token may skip. 4 in the published models. */
const MAX_DURATION = 64;

/** Whether a file holds a Parakeet model. Whisper models have the same magic number, and words above 50,000. */
export function isParakeetFile(path: string): boolean {
  try {
    const [magic, vocabulary = 0] = withFile(path, (file) => readInts(file, 0, 2));
    return magic === GGML_MAGIC && vocabulary > 0 && vocabulary <= MOST.vocabulary;
  } catch {
    // The Whisper engine reports the fault.
    return false;
  }
}

/**
 * Refuses a model file on which whisper.cpp would crash. whisper.cpp detects wrong names and shapes of tensors itself.
 * @throws OakError `STT_MODEL_UNUSABLE`.
 */
export function checkParakeetFile(path: string): void {
  try {
    withFile(path, readHeader);
  } catch (error) {
    throw modelUnusable(path, error);
  }
}

function readHeader(file: number): void {
  const header = headerOf(readInts(file, 0, HEADER_INTS));
  const { vocabulary, mels, fft, durations } = header;
  if (!isSound(header)) throw new Error("its header is damaged");

  const columns = fft / 2 + 1;
  let at = HEADER_INTS * 4;
  const [filterRows, filterColumns] = readInts(file, at, 2);
  at += 8 + mels * columns * 4;
  const [window = 0] = readInts(file, at, 1);
  if (filterRows !== mels || filterColumns !== columns || window < 1 || window > fft)
    throw new Error("its mel filters are damaged");
  at += 4 + window * 4;
  if (!readInts(file, at, durations).every((frames) => frames >= 0 && frames <= MAX_DURATION))
    throw new Error("its token durations are damaged");
  at += durations * 4;
  // whisper.cpp uses the number of words as the number of output rows.
  if (readInts(file, at, 1)[0] !== vocabulary) throw new Error("its vocabulary is damaged");
  readTensorHeads(file, endOfWords(file, at, vocabulary), fstatSync(file).size);
}

function headerOf(ints: Int32Array): Header {
  if (ints[0] !== GGML_MAGIC) throw new Error("not a whisper.cpp model (bad magic)");
  return Object.fromEntries(FIELDS.map(([name], index) => [name, ints[index + 1] ?? 0])) as Header;
}

/** Whether the sizes are consistent. whisper.cpp aborts the process on some inconsistent ones. */
function isSound(header: Header): boolean {
  const { width, heads, mels, packing, fft, subsampling, channels, kernel } = header;
  const weights = PACKINGS.get(packing % 1_000);
  const block = weights === undefined ? 1 : blockOf(weights);
  return (
    FIELDS.every(([name, most]) => header[name] >= (name === "packing" ? 0 : 1) && header[name] <= most) &&
    weights !== undefined &&
    subsampling === SUBSAMPLING &&
    mels % SUBSAMPLING === 0 &&
    fft % 2 === 0 &&
    kernel % 2 === 1 &&
    width % 2 === 0 &&
    width % heads === 0 &&
    width % block === 0 &&
    ((mels / SUBSAMPLING) * channels) % block === 0
  );
}

function withFile<Result>(path: string, read: (file: number) => Result): Result {
  const file = openSync(path, "r");
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

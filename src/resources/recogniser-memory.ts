import { closeSync, openSync, readSync } from "node:fs";
import { MOST_ENCODER_WIDTH } from "../engines/stt/whisper/encoder-graph.ts";

/** Magic number of ggml files. */
const MAGIC = 0x67676d6c;
/** whisper.cpp rounds contexts up to a multiple of this. */
const CONTEXT_STEP = 256;
const HALF = 2;
const FLOAT = 4;
/** Rows of the model's width that the encoder holds for each position. Measured in docs/decisions/0071-memory-plan.md. */
const ROWS_HELD = 21;
/**
 * Bytes that each weight of Whisper's encoder takes as a float, with what the C library keeps after the load. Measured for
 * docs/decisions/0107-encoder-in-onnxruntime.md.
 */
const ENCODER_WEIGHT_BYTES = 9;
/** Memory of a lane for other file kinds, as a share of the file's size. */
const UNKNOWN_SHARE = 0.5;

/** Memory of one recognition lane without the model, bytes. `path`: a Whisper model or another kind of file. */
export function laneBytes(path: string, fileBytes: number, beams: number): number {
  const [magic, vocabulary = 0, audioContext = 0, width = 0, , , textContext = 0, , , textLayers = 0] = readInts(path);
  if (magic !== MAGIC) return fileBytes * UNKNOWN_SHARE;
  const [audio, text] = [padded(audioContext), padded(textContext)];
  // whisper.cpp holds one text per beam, one more, and the text that all of them share.
  const texts = beams > 1 ? beams + 2 : 1;
  const caches = 2 * HALF * width * (textLayers * (text * texts + audio) + audio);
  const scores = FLOAT * textContext * vocabulary;
  return caches + scores + FLOAT * audioContext * width * ROWS_HELD;
}

/** Memory of the encoder that runs in onnxruntime beside the one of whisper.cpp. 0 for models that have none. */
export function encoderBytes(path: string): number {
  const [magic, , audioContext = 0, width = 0, , layers = 0, , , , , mels = 0] = readInts(path);
  if (magic !== MAGIC || width > MOST_ENCODER_WIDTH) return 0;
  return ENCODER_WEIGHT_BYTES * width * (layers * 12 * width + 3 * (mels + width) + audioContext);
}

const padded = (positions: number): number => Math.ceil(positions / CONTEXT_STEP) * CONTEXT_STEP;

function readInts(path: string): Int32Array {
  const file = openSync(path, "r");
  try {
    const ints = new Int32Array(12);
    readSync(file, ints);
    return ints;
  } finally {
    closeSync(file);
  }
}

import { quantile } from "../../simulated-callers/statistics.ts";
import { OnnxSession } from "../../engines/onnx/onnx-session.ts";
import { Tensor } from "../../engines/onnx/onnxruntime.ts";
import { OnnxGraph } from "./onnx-graph.ts";
import { HEARD, type WhisperShape } from "./whisper-file.ts";
import { writePieces } from "./write-pieces.ts";

/** Tokens before the words. */
const PROMPT_TOKENS = 2;

/**
 * Floating-point operations of one greedy decode of a file that says `HEARD`: the encoder on `positions`, and the decoder for
 * each token before the end of the text. Further beams and the alignment of words are not counted.
 */
export function whisperOperations(shape: WhisperShape, positions: number): number {
  const { width, mels, audioLayers, textLayers, vocabulary } = shape;
  const convolutions = 2 * 3 * (2 * positions * mels * width + positions * width ** 2);
  const encoderLayer = 24 * positions * width ** 2 + 4 * positions ** 2 * width;
  const crossAttention = textLayers * 4 * positions * width ** 2;
  const step = textLayers * (28 * width ** 2 + 4 * positions * width) + 2 * width * vocabulary;
  const tokens = HEARD.split(" ").length + PROMPT_TOKENS;
  return convolutions + audioLayers * encoderLayer + crossAttention + tokens * step;
}

const ROWS = 512;
const DEPTH = 512;
const COLUMNS = 2_048;
const ROUNDS = 40;

/** Floating-point operations a second of an fp32 matrix product on this many threads. `file`: where a small model may be written. */
export async function matrixProductRate(threads: number, file: string, signal: AbortSignal): Promise<number> {
  const graph = new OnnxGraph();
  graph.node("MatMul", ["a", graph.noise([DEPTH, COLUMNS], 1)], {}, ["y"]);
  const shape = [ROWS, DEPTH];
  const pieces = graph.file({ a: { type: "float", shape } }, { name: "y", shape: [ROWS, COLUMNS] }, {});
  await writePieces(file, pieces, signal, () => undefined);
  const session = new OnnxSession(file, threads);
  const feeds = { a: new Tensor("float32", new Float32Array(ROWS * DEPTH).fill(0.5), shape) };
  const times = Array.from({ length: ROUNDS }, () => {
    const startedMs = performance.now();
    session.run(feeds);
    return performance.now() - startedMs;
  });
  session.release();
  return (2 * ROWS * DEPTH * COLUMNS * 1000) / quantile(times, 0.25);
}

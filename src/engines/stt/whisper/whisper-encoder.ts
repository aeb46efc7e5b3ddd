import { OnnxSession } from "../../onnx/onnx-session.ts";
import { Tensor } from "../../onnx/onnxruntime.ts";
import { encoderGraph } from "./encoder-graph.ts";

/** Whisper's encoder in onnxruntime, which is faster on CPUs than whisper.cpp's: docs/decisions/0107-encoder-in-onnxruntime.md. */
export class WhisperEncoder {
  readonly #session: OnnxSession;
  readonly #mels: number;
  readonly #output: string;

  private constructor(session: OnnxSession, mels: number) {
    this.#session = session;
    this.#mels = mels;
    this.#output = session.outputNames[0] ?? "";
  }

  /**
   * The encoder of a model file. Undefined: whisper.cpp should encode. `threads`: of one clip.
   * @throws OakError `STT_MODEL_UNUSABLE`.
   */
  static open(path: string, threads: number): WhisperEncoder | undefined {
    const graph = encoderGraph(path);
    return graph && new WhisperEncoder(new OnnxSession(graph.bytes, threads), graph.mels);
  }

  /** `mel`: from `NativeLane.logMel`. Blocks. @returns The value for `DecodeOptions.encoded`. */
  encode(mel: Float32Array): Float32Array {
    const input = new Tensor("float32", mel, [1, this.#mels, mel.length / this.#mels]);
    return this.#session.run({ mel: input })[this.#output]?.data as Float32Array;
  }
}

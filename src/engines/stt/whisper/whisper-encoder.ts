import { setImmediate } from "node:timers/promises";
import { OnnxSession } from "../../onnx/onnx-session.ts";
import { Tensor } from "../../onnx/onnxruntime.ts";
import { openModel } from "../files/model-header.ts";
import { canEncode, encoderParts } from "./encoder-graph.ts";

/** Whisper's encoder in onnxruntime, which is faster on CPUs than whisper.cpp's: docs/decisions/0107-encoder-in-onnxruntime.md. */
export class WhisperEncoder {
  readonly #parts: readonly OnnxSession[];
  readonly #mels: number;

  private constructor(parts: readonly OnnxSession[], mels: number) {
    this.#parts = parts;
    this.#mels = mels;
  }

  /**
   * The encoder of a model file. Undefined: whisper.cpp should encode. `threads`: of one clip.
   * @throws OakError `STT_MODEL_UNUSABLE`.
   */
  static open(path: string, threads: number): WhisperEncoder | undefined {
    return openModel(path, (model) => {
      if (!canEncode(model)) return undefined;
      const parts = Array.from(encoderParts(model), (bytes) => new OnnxSession(bytes, threads, false));
      return new WhisperEncoder(parts, model.mels);
    });
  }

  /**
   * Blocks for one layer at a time, so that an abort, and the clips of other lanes, wait for no more than that.
   * @param mel From `NativeLane.logMel`.
   * @returns The value for `DecodeOptions.encoded`.
   */
  async encode(mel: Float32Array, signal: AbortSignal): Promise<Float32Array> {
    let states: Tensor = new Tensor("float32", mel, [1, this.#mels, mel.length / this.#mels]);
    for (const part of this.#parts) {
      await setImmediate();
      signal.throwIfAborted();
      states = part.run({ input: states })[part.outputNames[0] ?? ""] ?? states;
    }
    return states.data as Float32Array;
  }
}

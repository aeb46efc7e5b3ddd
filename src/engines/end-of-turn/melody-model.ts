import { MODEL_HZ } from "../../audio/format.ts";
import type { OnnxSession } from "../onnx/onnx-session.ts";
import { Tensor } from "../onnx/onnxruntime.ts";
import { logOdds, probabilityOf } from "./probability.ts";

/** More of the past costs time (docs/decisions/0042-end-of-turn.md). */
const SECONDS = 2.5;
/** The graph takes multiples of this. */
const STEP = 320;
/** A shorter clip is preceded by silence. */
const LEAST = MODEL_HZ / 2;

/** Runs an ONNX graph from `waveform` [1, N] (16 kHz, N a multiple of 320) to `probability` [1] that the turn is over. */
export class MelodyModel {
  readonly windowSamples = SECONDS * MODEL_HZ;
  readonly #session: OnnxSession;

  constructor(session: OnnxSession) {
    this.#session = session;
  }

  /** Log odds that the turn is over, -5 to 5. Throws OakError `TURN_FAILED` on an answer outside 0 to 1. */
  odds(samples: Float32Array): number {
    const length = Math.min(this.windowSamples, Math.max(LEAST, samples.length - (samples.length % STEP)));
    const clip = new Float32Array(length);
    const last = samples.subarray(Math.max(0, samples.length - length));
    clip.set(last, length - last.length);
    return logOdds(probabilityOf(this.#session.run({ waveform: new Tensor("float32", clip, [1, length]) })));
  }

  close(): void {
    this.#session.release();
  }
}

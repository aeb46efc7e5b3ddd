import { brokenModel, oneLine, openOnnxSession, type OnnxSession } from "../onnx/onnx-session.ts";
import { Tensor } from "../onnx/onnxruntime.ts";
import type { NoiseSuppressionEngine, NoiseSuppressor } from "./noise-suppressor.ts";

const WHAT = "noise suppression model";
const FRAME_SAMPLES = 480;
const STATE_VALUES = 29_700;

/**
 * DeepFilterNet3 as `scripts/models/deep_filter.py` converts it: a frame and a state in, a frame and a state out. It runs on the
 * calling thread: a frame of 10 ms takes 0.4 ms (docs/decisions/0104-noise-suppression.md). Throws OakError `MODEL_MISSING` or
 * `MODEL_BROKEN`.
 */
export async function loadDeepFilter(path: string): Promise<NoiseSuppressionEngine> {
  const session = await openOnnxSession(path, WHAT);
  try {
    // A wrong graph fails at the start and not in a call.
    new DeepFilterSuppressor(session).process(new Float32Array(FRAME_SAMPLES));
  } catch (cause) {
    session.release();
    throw brokenModel(path, WHAT, oneLine(cause), cause);
  }
  return { open: () => new DeepFilterSuppressor(session) };
}

interface Pass {
  readonly feeds: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<string, Tensor>>;
}

/** One caller. */
class DeepFilterSuppressor implements NoiseSuppressor {
  readonly sampleRateHz = 48_000;
  readonly frameSamples = FRAME_SAMPLES;
  /** One frame of overlap, and two frames that the model hears ahead. */
  readonly delaySamples = 3 * FRAME_SAMPLES;
  readonly #session: OnnxSession;
  readonly #input = new Float32Array(FRAME_SAMPLES);
  readonly #output = new Float32Array(FRAME_SAMPLES);
  /** Each pass reads the state that the other one wrote. */
  #next: Pass;
  #afterwards: Pass;
  #isClosed = false;

  constructor(session: OnnxSession) {
    this.#session = session;
    const frame = tensor(this.#input);
    const suppressed = tensor(this.#output);
    const [one, other] = [tensor(new Float32Array(STATE_VALUES)), tensor(new Float32Array(STATE_VALUES))];
    this.#next = { feeds: { frame, state: one }, outputs: { suppressed, next_state: other } };
    this.#afterwards = { feeds: { frame, state: other }, outputs: { suppressed, next_state: one } };
  }

  process(frame: Float32Array): void {
    if (frame.length !== FRAME_SAMPLES)
      throw new RangeError(`a frame has ${FRAME_SAMPLES} samples, got ${frame.length}`);
    if (this.#isClosed) throw new Error("this noise suppressor is closed");
    this.#input.set(frame);
    const pass = this.#next;
    this.#session.runInto(pass.feeds, pass.outputs);
    this.#next = this.#afterwards;
    this.#afterwards = pass;
    frame.set(this.#output);
  }

  close(): void {
    this.#isClosed = true;
  }
}

const tensor = (values: Float32Array): Tensor => new Tensor("float32", values, [values.length]);

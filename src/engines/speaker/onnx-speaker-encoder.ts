import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { OakError } from "../../shared/errors.ts";
import { brokenModel, oneLine, openOnnxSession, type OnnxSession } from "../onnx/onnx-session.ts";
import { Tensor } from "../onnx/onnxruntime.ts";
import { normalise, type SpeakerEncoder } from "./speaker-encoder.ts";
import { bandPowers, BANDS, CLIP_SAMPLES, ROWS, windowOf } from "./voice-bands.ts";

const WHAT = "speaker model";
/** A shorter clip has no row. */
export const SHORTEST_SAMPLES = 1600;

/**
 * An ONNX graph from `mel_window` [1, 80, 40] to `embedding` [1, N]. An inference takes 8 to 14 ms, so it belongs into a
 * process of its own. Throws OakError `MODEL_MISSING` or `MODEL_BROKEN`.
 */
export async function loadSpeakerEncoder(path: string): Promise<SpeakerEncoder> {
  const session = await openOnnxSession(path, WHAT);
  try {
    const encoder = new OnnxSpeakerEncoder(session);
    // A wrong graph fails at the start and not in a call.
    const sound = Float32Array.from({ length: CLIP_SAMPLES }, (_, at) => ((at % 100) / 100 - 0.5) / 2);
    await encoder.embed(sound, new AbortController().signal);
    return encoder;
  } catch (cause) {
    session.release();
    throw brokenModel(path, WHAT, oneLine(cause), cause);
  }
}

class OnnxSpeakerEncoder implements SpeakerEncoder {
  readonly #session: OnnxSession;
  #isClosed = false;

  constructor(session: OnnxSession) {
    this.#session = session;
  }

  async embed(samples: Float32Array, signal: AbortSignal): Promise<Float32Array> {
    await yieldToEventLoop(); // A cancelled request must not run.
    signal.throwIfAborted();
    if (this.#isClosed) throw new OakError("The speaker model is closed.", { code: "SPEAKER_CLOSED" });
    if (samples.length < SHORTEST_SAMPLES || samples.length > CLIP_SAMPLES)
      throw new RangeError(`${SHORTEST_SAMPLES} to ${CLIP_SAMPLES} samples are needed, got ${samples.length}`);
    const window = windowOf(bandPowers(samples));
    const answer = this.#session.run({ mel_window: new Tensor("float32", window, [1, ROWS, BANDS]) });
    const data = answer["embedding"]?.data;
    const vector = normalise(data instanceof Float32Array ? Float32Array.from(data) : new Float32Array(1));
    // Written so that NaN fails too.
    if (!vector.every((value) => Math.abs(value) <= 1))
      throw new OakError("The speaker model's answer is not a vector.", { code: "SPEAKER_FAILED" });
    return vector;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.release();
  }
}

import { MODEL_HZ } from "../../audio/format.ts";
import { OakError } from "../../shared/errors.ts";
import { brokenModel, oneLine, openOnnxSession, type OnnxSession } from "../onnx/onnx-session.ts";
import { Tensor } from "../onnx/onnxruntime.ts";
import type { VadEngine, VoiceActivityDetector } from "./voice-activity-detector.ts";

const FRAME_SAMPLES = 512;
const WHAT = "voice activity model";

interface StateTensor {
  readonly input: string;
  readonly output: string;
  readonly dims: readonly number[];
}

/** Differences between the published graphs, which share `input`, `sr` and `output`. */
interface SileroLayout {
  /** Samples of the frame before that go in front of each frame. */
  readonly contextSamples: number;
  readonly states: readonly StateTensor[];
}

const VERSION_4: SileroLayout = {
  contextSamples: 0,
  states: [
    { input: "h", output: "hn", dims: [2, 1, 64] },
    { input: "c", output: "cn", dims: [2, 1, 64] },
  ],
};

/** Also version 6. */
const VERSION_5: SileroLayout = {
  contextSamples: 64,
  states: [{ input: "state", output: "stateN", dims: [2, 1, 128] }],
};

/**
 * Silero VAD, version 4, 5 or 6, identified by the names of the graph's inputs. Runs on the calling thread
 * (docs/decisions/0030-vad-in-process.md). Throws OakError `MODEL_MISSING` or `MODEL_BROKEN`.
 */
export async function loadSilero(path: string): Promise<VadEngine> {
  const session = await openOnnxSession(path, WHAT);
  const layout = [VERSION_4, VERSION_5].find((candidate) => fits(session, candidate));
  if (layout === undefined) {
    session.release();
    throw brokenModel(path, WHAT, `not Silero VAD 4, 5 or 6: its inputs are ${session.inputNames.join(", ")}`);
  }
  try {
    // Wrong shapes must fail now, not in a call. Each later frame uses the state of the previous one.
    const trial = new SileroDetector(session, layout, () => false);
    const answers = trialFrames().map((frame) => trial.speechProbability(frame));
    if (new Set(answers).size === 1) throw new Error("it gives silence and sound the same probability");
  } catch (cause) {
    session.release();
    throw brokenModel(path, WHAT, oneLine(cause), cause);
  }

  let closed = false;
  return {
    open: () => new SileroDetector(session, layout, () => closed),
    close: async () => {
      if (closed) return;
      closed = true;
      session.release();
    },
  };
}

/** Two of silence, two of a buzz. */
function trialFrames(): Float32Array[] {
  const buzz = Float32Array.from({ length: FRAME_SAMPLES }, (_, sample) => ((sample % 100) / 100 - 0.5) / 2);
  const silence = new Float32Array(FRAME_SAMPLES);
  return [silence, silence, buzz, buzz];
}

function fits(session: OnnxSession, layout: SileroLayout): boolean {
  const inputs = ["input", "sr", ...layout.states.map((state) => state.input)];
  const outputs = ["output", ...layout.states.map((state) => state.output)];
  return (
    inputs.length === session.inputNames.length &&
    inputs.every((name) => session.inputNames.includes(name)) &&
    outputs.every((name) => session.outputNames.includes(name))
  );
}

/** One caller. */
class SileroDetector implements VoiceActivityDetector {
  readonly frameSamples = FRAME_SAMPLES;
  readonly #session: OnnxSession;
  readonly #layout: SileroLayout;
  readonly #isClosed: () => boolean;
  readonly #input: Float32Array;
  /** The same for every frame except the state, which comes from the last answer. */
  readonly #feeds: Record<string, Tensor>;

  constructor(session: OnnxSession, layout: SileroLayout, isClosed: () => boolean) {
    this.#session = session;
    this.#layout = layout;
    this.#isClosed = isClosed;
    this.#input = new Float32Array(layout.contextSamples + FRAME_SAMPLES);
    this.#feeds = {
      input: new Tensor("float32", this.#input, [1, this.#input.length]),
      sr: new Tensor("int64", BigInt64Array.of(BigInt(MODEL_HZ)), []),
    };
    for (const { input, dims } of layout.states) this.#feeds[input] = zeros(dims);
  }

  /** Throws OakError `VAD_CLOSED` after the engine is closed, `VAD_FAILED` on an answer that is not a probability. */
  speechProbability(frame: Float32Array): number {
    if (frame.length !== FRAME_SAMPLES)
      throw new RangeError(`a frame has ${FRAME_SAMPLES} samples, got ${frame.length}`);
    if (this.#isClosed()) throw new OakError("The voice activity engine is closed.", { code: "VAD_CLOSED" });
    this.#input.copyWithin(0, FRAME_SAMPLES);
    this.#input.set(frame, this.#layout.contextSamples);
    const answer = this.#session.run(this.#feeds);
    for (const { input, output } of this.#layout.states) this.#feeds[input] = answer[output]!;
    const probability = Number(answer["output"]!.data[0]);
    if (!(probability >= 0 && probability <= 1))
      throw new OakError("The voice activity model's answer is not a probability.", { code: "VAD_FAILED" });
    return probability;
  }
}

function zeros(dims: readonly number[]): Tensor {
  const data = new Float32Array(dims.reduce((product, size) => product * size, 1));
  return new Tensor("float32", data, dims);
}

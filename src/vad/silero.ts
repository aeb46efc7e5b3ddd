import { OakError } from "../shared/errors.ts";
import { brokenModel, openOnnxSession } from "../shared/onnx-session.ts";
import { Tensor, type InferenceSession } from "../shared/onnxruntime.ts";
import type { VadEngine, VoiceActivityDetector } from "./contract.ts";

const FRAME_SAMPLES = 512;
const SAMPLE_RATE_HZ = 16000;
const WHAT = "voice activity model";

interface StateTensor {
  readonly input: string;
  readonly output: string;
  readonly dims: readonly number[];
}

/** What the two published graphs differ in; the rest (`input`, `sr`, `output`) they share. */
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
 * Silero VAD, version 4, 5 or 6, told apart by the names of the graph's inputs. Runs on the calling thread:
 * see docs/decisions/0030-vad-in-process.md. Throws OakError `MODEL_MISSING` or `MODEL_BROKEN`.
 */
export async function loadSilero(path: string): Promise<VadEngine> {
  const session = await openOnnxSession(path, WHAT);
  const layout = [VERSION_4, VERSION_5].find((candidate) => fits(session, candidate));
  if (layout === undefined) {
    await session.release();
    throw brokenModel(path, WHAT, `not Silero VAD 4, 5 or 6: its inputs are ${session.inputNames.join(", ")}`);
  }
  try {
    // One frame now, or a file with the right names and wrong shapes would fail in the first call of a caller.
    await new SileroDetector(session, layout, () => false).speechProbability(new Float32Array(FRAME_SAMPLES));
  } catch (cause) {
    await session.release();
    throw brokenModel(path, WHAT, "it failed on a frame of silence", cause);
  }

  let closed = false;
  return {
    open: () => new SileroDetector(session, layout, () => closed),
    close: async () => {
      if (closed) return;
      closed = true;
      await session.release();
    },
  };
}

function fits(session: InferenceSession, layout: SileroLayout): boolean {
  const inputs = ["input", "sr", ...layout.states.map((state) => state.input)];
  const outputs = ["output", ...layout.states.map((state) => state.output)];
  return (
    inputs.length === session.inputNames.length &&
    inputs.every((name) => session.inputNames.includes(name)) &&
    outputs.every((name) => session.outputNames.includes(name))
  );
}

/** One caller. All tensors are made once; the state ones swap roles after each frame. */
class SileroDetector implements VoiceActivityDetector {
  readonly frameSamples = FRAME_SAMPLES;
  readonly #session: InferenceSession;
  readonly #isClosed: () => boolean;
  readonly #contextSamples: number;
  readonly #input: Float32Array;
  readonly #probability = new Float32Array(1);
  readonly #states: readonly RecurrentState[];
  readonly #feeds: Record<string, Tensor>;
  readonly #fetches: Record<string, Tensor>;
  #busy = false;

  constructor(session: InferenceSession, layout: SileroLayout, isClosed: () => boolean) {
    this.#session = session;
    this.#isClosed = isClosed;
    this.#contextSamples = layout.contextSamples;
    this.#input = new Float32Array(layout.contextSamples + FRAME_SAMPLES);
    this.#states = layout.states.map(({ input, output, dims }) => ({
      input,
      output,
      old: zeros(dims),
      fresh: zeros(dims),
    }));
    this.#feeds = {
      input: new Tensor("float32", this.#input, [1, this.#input.length]),
      sr: new Tensor("int64", BigInt64Array.of(BigInt(SAMPLE_RATE_HZ)), []),
    };
    this.#fetches = { output: new Tensor("float32", this.#probability, [1, 1]) };
  }

  /**
   * The frame is copied before this returns: the caller may reuse it at once.
   * Rejects with OakError `VAD_BUSY` while a frame is under way, `VAD_CLOSED` after the engine is closed.
   */
  async speechProbability(frame: Float32Array): Promise<number> {
    if (frame.length !== FRAME_SAMPLES)
      throw new RangeError(`a frame has ${FRAME_SAMPLES} samples, got ${frame.length}`);
    if (this.#busy) throw new OakError("The last frame is still under way; await it first.", { code: "VAD_BUSY" });
    if (this.#isClosed()) throw new OakError("The voice activity engine is closed.", { code: "VAD_CLOSED" });
    this.#busy = true;
    try {
      this.#input.copyWithin(0, FRAME_SAMPLES);
      this.#input.set(frame, this.#contextSamples);
      for (const state of this.#states) {
        this.#feeds[state.input] = state.old.tensor;
        this.#fetches[state.output] = state.fresh.tensor;
      }
      await this.#session.run(this.#feeds, this.#fetches);
      for (const state of this.#states) {
        const { old } = state;
        state.old = state.fresh;
        state.fresh = old;
      }
      return this.#probability[0]!;
    } finally {
      this.#busy = false;
    }
  }

  /** As newly opened. Not while a frame is under way: its state would come back. */
  reset(): void {
    this.#input.fill(0);
    for (const state of this.#states) state.old.data.fill(0);
  }
}

/** A tensor with the array it computes on. */
interface Store {
  readonly tensor: Tensor;
  readonly data: Float32Array;
}

interface RecurrentState {
  readonly input: string;
  readonly output: string;
  old: Store;
  fresh: Store;
}

function zeros(dims: readonly number[]): Store {
  const data = new Float32Array(dims.reduce((product, size) => product * size, 1));
  return { tensor: new Tensor("float32", data, dims), data };
}

// oxlint-disable no-underscore-dangle -- names of the package
import createModule, { type RnnoiseModule } from "@echogarden/rnnoise-wasm";
import type { NoiseSuppressionEngine, NoiseSuppressor } from "./noise-suppressor.ts";

const FRAME_SAMPLES = 480;
/** The model expects the range of 16-bit samples. */
const FULL_SCALE = 32_768;
const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Loads RNNoise. It runs on the calling thread: a frame of 10 ms takes 0.1 ms (docs/decisions/0104-noise-suppression.md). */
export async function loadRnnoise(): Promise<NoiseSuppressionEngine> {
  const module = await createModule();
  return { open: () => new RnnoiseSuppressor(module) };
}

/** One caller. */
class RnnoiseSuppressor implements NoiseSuppressor {
  readonly sampleRateHz = 48_000;
  readonly frameSamples = FRAME_SAMPLES;
  readonly delaySamples = FRAME_SAMPLES;
  readonly #module: RnnoiseModule;
  readonly #state: number;
  readonly #address: number;
  #isClosed = false;

  constructor(module: RnnoiseModule) {
    this.#module = module;
    this.#state = module._rnnoise_create(0);
    this.#address = module._malloc(FRAME_SAMPLES * BYTES);
    if (this.#state === 0 || this.#address === 0) throw new Error("RNNoise has no memory for another caller");
  }

  process(frame: Float32Array): void {
    if (frame.length !== FRAME_SAMPLES)
      throw new RangeError(`a frame has ${FRAME_SAMPLES} samples, got ${frame.length}`);
    if (this.#isClosed) throw new Error("this noise suppressor is closed");
    const first = this.#address / BYTES;
    // Another view after each growth of the module's memory.
    const before = this.#module.HEAPF32;
    for (let at = 0; at < FRAME_SAMPLES; at++) before[first + at] = frame[at]! * FULL_SCALE;
    this.#module._rnnoise_process_frame(this.#state, this.#address, this.#address);
    const after = this.#module.HEAPF32;
    for (let at = 0; at < FRAME_SAMPLES; at++) frame[at] = after[first + at]! / FULL_SCALE;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#module._rnnoise_destroy(this.#state);
    this.#module._free(this.#address);
  }
}

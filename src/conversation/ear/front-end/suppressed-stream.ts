import { CALL_HZ, MODEL_HZ } from "../../../audio/format.ts";
import { Resampler } from "../../../audio/resampler.ts";
import { SampleRing } from "../../../audio/ring-buffer.ts";
import type { NoiseSuppressor } from "../../../engines/enhancement/noise-suppressor.ts";

/** Longer than the audio that waits for the voice activity detector. */
const RING_SAMPLES = 2 * MODEL_HZ;
/** Every third call sample lies on a model sample. */
const GRID = CALL_HZ / gcd(CALL_HZ, MODEL_HZ);

/**
 * The caller's audio with its noise suppressed, at `MODEL_HZ`. A sample has the position of the same sound in the unsuppressed
 * stream: the delay of model and resamplers is compensated, so the stream ends `delaySamples` before the unsuppressed one.
 */
export class SuppressedStream {
  readonly #suppressor: NoiseSuppressor;
  readonly #up: Resampler;
  readonly #down: Resampler;
  readonly #frame: Float32Array;
  readonly #ring = new SampleRing(RING_SAMPLES);
  /** Position of the ring's first sample. */
  readonly #from: number;
  #filled = 0;
  /** Call samples to skip, so that the first one lies on a model sample. */
  #ahead: number;
  /** Outputs of the model that belong before the first sample. */
  #early: number;

  /** `atCallSample`: number of call samples before the first one that this stream gets. */
  constructor(suppressor: NoiseSuppressor, atCallSample: number) {
    this.#suppressor = suppressor;
    this.#up = new Resampler(CALL_HZ, suppressor.sampleRateHz);
    this.#down = new Resampler(suppressor.sampleRateHz, MODEL_HZ);
    this.#frame = new Float32Array(suppressor.frameSamples);
    this.#early = suppressor.delaySamples;
    const start = Math.ceil(atCallSample / GRID) * GRID;
    this.#ahead = start - atCallSample;
    this.#from = (start * MODEL_HZ) / CALL_HZ;
  }

  /** Most samples at `MODEL_HZ` by which the stream is behind the unsuppressed one. */
  get delaySamples(): number {
    const { frameSamples, delaySamples, sampleRateHz } = this.#suppressor;
    const seconds =
      this.#up.delaySamples / CALL_HZ + (frameSamples + delaySamples + this.#down.delaySamples) / sampleRateHz;
    return Math.ceil(seconds * MODEL_HZ);
  }

  get end(): number {
    return this.#from + this.#ring.end;
  }

  /** Samples at `CALL_HZ`. They are not kept. */
  push(samples: Float32Array): void {
    const skipped = Math.min(this.#ahead, samples.length);
    this.#ahead -= skipped;
    const raised = this.#up.process(skipped === 0 ? samples : samples.subarray(skipped));
    const { frameSamples } = this.#suppressor;
    for (let at = 0; at < raised.length; at++) {
      this.#frame[this.#filled] = raised[at]!;
      this.#filled += 1;
      if (this.#filled === frameSamples) this.#suppress();
    }
  }

  #suppress(): void {
    this.#filled = 0;
    this.#suppressor.process(this.#frame);
    const early = Math.min(this.#early, this.#frame.length);
    this.#early -= early;
    if (early < this.#frame.length)
      this.#ring.write(this.#down.process(early === 0 ? this.#frame : this.#frame.subarray(early)));
  }

  /** Fills `out` from `position` on. False, and `out` untouched, unless all of it is known. */
  readInto(position: number, out: Float32Array): boolean {
    return position >= this.#from && this.#ring.readInto(position - this.#from, out);
  }

  close(): void {
    this.#suppressor.close();
  }
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

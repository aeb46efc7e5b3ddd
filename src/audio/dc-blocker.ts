import { CALL_HZ } from "./format.ts";

/** Far below voices: at 50 Hz the gain is -0.2 dB. */
const CUTOFF_HZ = 10;
const KEPT = 1 - (2 * Math.PI * CUTOFF_HZ) / CALL_HZ;
/** Half a step of 16-bit samples. Smaller values become 0, so that silence after a voice is silence. */
const SMALLEST = 2 ** -16;

/** Removes the DC offset of a sound card from a stream at `CALL_HZ`. With an offset the recognisers may hear no words at all. */
export class DcBlocker {
  /** Undefined before the first sample, which counts as the offset: a step at the start would be a click. */
  #input: number | undefined;
  #output = 0;

  /** Changes the samples in place, and returns them. How the stream is cut into chunks does not change the result. */
  process(samples: Float32Array): Float32Array {
    let input = this.#input ?? samples[0] ?? 0;
    let output = this.#output;
    for (let at = 0; at < samples.length; at++) {
      const sample = samples[at]!;
      output = sample - input + KEPT * output;
      if (Math.abs(output) < SMALLEST) output = 0;
      input = sample;
      samples[at] = output;
    }
    if (samples.length > 0) this.#input = input;
    this.#output = output;
    return samples;
  }
}

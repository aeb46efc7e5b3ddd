import { MODEL_HZ } from "./format.ts";
import { highPass, Section } from "./second-order-section.ts";

/** Below most voices, above the mains. */
const CUTOFF_HZ = 90;
/** The two sections of a fourth-order Butterworth filter. */
const QUALITIES = [0.5412, 1.3066];

/**
 * Removes a DC offset, mains hum and rumble from a stream whose level is measured: they are no part of a voice. Recognisers get the
 * sound unfiltered, because they hear people a little worse through the filter (docs/decisions/0096-levels-without-rumble.md).
 */
export class RumbleFilter {
  readonly #sections: readonly Section[];

  constructor(sampleRateHz: number) {
    this.#sections = QUALITIES.map((quality) => new Section(highPass(CUTOFF_HZ, quality, sampleRateHz)));
  }

  /** Changes the samples in place, and returns them. How the stream is cut into chunks does not change the result. */
  process(samples: Float32Array): Float32Array {
    for (const section of this.#sections) section.process(samples);
    return samples;
  }
}

/** A copy of a clip at `MODEL_HZ` for the measurement of levels. */
export const withoutRumble = (samples: Float32Array): Float32Array =>
  new RumbleFilter(MODEL_HZ).process(samples.slice());

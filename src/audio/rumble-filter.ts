import { highPass, Section } from "./second-order-section.ts";

/** Below the lowest voices, above the mains. Chosen in docs/decisions/0096-caller-audio.md. */
const CUTOFF_HZ = 90;
/** The two sections of a fourth-order Butterworth filter. */
const QUALITIES = [0.5412, 1.3066];

/** Removes a DC offset, mains hum and rumble from a stream: they would raise every level that is measured later. */
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

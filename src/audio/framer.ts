/** Cuts a stream of arbitrary chunks into frames of a fixed size. */
export class Framer {
  readonly #frame: Float32Array;
  #filled = 0;

  constructor(frameSamples: number) {
    if (!Number.isInteger(frameSamples) || frameSamples < 1) {
      throw new RangeError(`a frame must be a whole number of samples above 0, got ${frameSamples}`);
    }
    this.#frame = new Float32Array(frameSamples);
  }

  /** Samples waiting for the rest of their frame. */
  get pendingSamples(): number {
    return this.#filled;
  }

  /** Calls `onFrame` for each full frame. The frame is one reused array: copy it to keep it past the call. */
  push(samples: Float32Array, onFrame: (frame: Float32Array) => void): void {
    const frame = this.#frame;
    let read = 0;
    while (read < samples.length) {
      const take = Math.min(frame.length - this.#filled, samples.length - read);
      frame.set(samples.subarray(read, read + take), this.#filled);
      read += take;
      this.#filled += take;
      if (this.#filled === frame.length) {
        this.#filled = 0;
        onFrame(frame);
      }
    }
  }

  /** Drops a half-filled frame. */
  reset(): void {
    this.#filled = 0;
  }
}

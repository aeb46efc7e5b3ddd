import { samplesOf } from "./pcm16.ts";

/** The 16-bit samples of a stream of bytes that is cut anywhere. The first byte of a sample waits for the second one. */
export class SampleStream {
  /** -1: none. */
  #half = -1;

  /** Samples that are whole now. A view of the bytes where they allow it. */
  take(bytes: Uint8Array): Int16Array {
    if (this.#half === -1 && bytes.length % 2 === 0) return samplesOf(bytes);
    const carried = this.#half === -1 ? 0 : 1;
    const joined = new Uint8Array(carried + bytes.length);
    if (carried === 1) joined[0] = this.#half;
    joined.set(bytes, carried);
    const whole = joined.length & ~1;
    this.#half = joined[whole] ?? -1;
    return samplesOf(joined.subarray(0, whole));
  }

  /** The next byte begins a sample. */
  forgetHalf(): void {
    this.#half = -1;
  }
}

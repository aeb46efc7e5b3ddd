/**
 * The last `capacitySamples` of a stream, addressed by absolute sample position since its beginning.
 * Bounded: the oldest samples are overwritten.
 */
export class SampleRing {
  readonly #capacity: number;
  /** Allocated with the first samples: a connection without audio, such as one of a flood, takes none. */
  #data = new Float32Array(0);
  #end = 0;

  constructor(capacitySamples: number) {
    if (!Number.isInteger(capacitySamples) || capacitySamples < 1) {
      throw new RangeError(`capacity must be a whole number of samples above 0, got ${capacitySamples}`);
    }
    this.#capacity = capacitySamples;
  }

  /** Position one past the newest sample: the count of samples ever written. */
  get end(): number {
    return this.#end;
  }

  /** Position of the oldest sample still held. */
  get start(): number {
    return Math.max(0, this.#end - this.#capacity);
  }

  write(samples: Float32Array): void {
    const capacity = this.#capacity;
    if (this.#data.length === 0) this.#data = new Float32Array(capacity);
    // If the chunk is larger than the ring, only its last part is kept.
    const kept = samples.length > capacity ? samples.subarray(samples.length - capacity) : samples;
    this.#end += samples.length;
    const at = (this.#end - kept.length) % capacity;
    const first = Math.min(kept.length, capacity - at);
    if (first === kept.length) {
      this.#data.set(kept, at);
    } else {
      this.#data.set(kept.subarray(0, first), at);
      this.#data.set(kept.subarray(first), 0);
    }
  }

  /** A copy of positions `from` (inclusive) to `to` (exclusive), clamped to the held range. */
  read(from: number, to: number): Float32Array {
    const first = Math.max(from, this.start);
    const last = Math.min(to, this.#end);
    const out = new Float32Array(Math.max(0, last - first));
    if (out.length > 0) this.#copy(first, out);
    return out;
  }

  /** Fills `out` from position `from` on without allocating. False, and `out` untouched, unless all of it is held. */
  readInto(from: number, out: Float32Array): boolean {
    if (from < this.start || from + out.length > this.#end) return false;
    this.#copy(from, out);
    return true;
  }

  /** Replaces positions `from` (inclusive) to `to` (exclusive) by silence, as far as they are held. */
  silence(from: number, to: number): void {
    const last = Math.min(to, this.#end);
    for (let at = Math.max(from, this.start); at < last; at++) this.#data[at % this.#capacity] = 0;
  }

  #copy(from: number, out: Float32Array): void {
    const capacity = this.#capacity;
    let at = from % capacity;
    // Copy one by one: a view would be garbage for each frame.
    for (let i = 0; i < out.length; i++) {
      out[i] = this.#data[at]!;
      at = at + 1 === capacity ? 0 : at + 1;
    }
  }
}

import { polyphaseBank, type PolyphaseBank } from "./polyphase-bank.ts";

/**
 * Band-limited sample rate conversion of a stream, any whole rates.
 *
 * Output n is the input at time `n * fromHz / toHz`, exactly: nothing is shifted, output is held back instead
 * until the samples after it are known. N input samples give `ceil(N * toHz / fromHz)` outputs once flushed.
 * How the input is cut into chunks changes no bit of the output.
 */
export class Resampler {
  /** Look-ahead, in samples at the input rate: an output is ready this many input samples after its own time. */
  readonly delaySamples: number;
  readonly #bank: PolyphaseBank | undefined;
  /** History, then the chunk at hand. */
  #buffer: Float32Array;
  /** Samples of `#buffer` that hold history. */
  #held = 0;
  /** Where in `#buffer` the filter of the next output begins. */
  #next = 0;
  #phase = 0;
  #out = new Float32Array(0);

  /** Throws RangeError unless both rates are whole numbers above 0. */
  constructor(fromHz: number, toHz: number) {
    const bank = polyphaseBank(fromHz, toHz);
    this.#bank = fromHz === toHz ? undefined : bank;
    this.delaySamples = this.#bank === undefined ? 0 : bank.halfTaps;
    this.#buffer = new Float32Array(2 * this.delaySamples);
    this.reset();
  }

  /** What can be told so far. The array returned is valid until the next call. Equal rates: the input itself. */
  process(input: Float32Array): Float32Array {
    const bank = this.#bank;
    if (bank === undefined) return input;
    this.#append(input);

    const { up, weights } = bank;
    const rowLength = 2 * bank.halfTaps;
    const wholeStep = Math.floor(bank.down / up);
    const phaseStep = bank.down % up;
    const buffer = this.#buffer;
    const last = this.#held - rowLength;
    const out = this.#room(Math.ceil(((last - this.#next + 1) * up) / bank.down) + 1);
    let next = this.#next;
    let phase = this.#phase;
    let count = 0;
    while (next <= last) {
      out[count++] = dot(buffer, next, weights, phase * rowLength, rowLength);
      next += wholeStep;
      phase += phaseStep;
      if (phase >= up) {
        phase -= up;
        next++;
      }
    }
    this.#phase = phase;
    // Only what later outputs read is kept; a long step may lie beyond the end of what has arrived.
    const drop = Math.min(next, this.#held);
    buffer.copyWithin(0, drop, this.#held);
    this.#held -= drop;
    this.#next = next - drop;
    return out.subarray(0, count);
  }

  /** The rest of the output, as if silence followed; then the resampler is as new. Valid until the next call. */
  flush(): Float32Array {
    const tail = this.process(new Float32Array(this.delaySamples));
    this.reset();
    return tail;
  }

  /** Forgets the stream: the next sample is sample 0. */
  reset(): void {
    this.#phase = 0;
    this.#next = 0;
    // Silence before the first sample, so that the filter of output 0 is centred on input 0.
    this.#held = Math.max(0, this.delaySamples - 1);
    this.#buffer.fill(0, 0, this.#held);
  }

  #append(input: Float32Array): void {
    const needed = this.#held + input.length;
    if (needed > this.#buffer.length) {
      const grown = new Float32Array(needed);
      grown.set(this.#buffer.subarray(0, this.#held));
      this.#buffer = grown;
    }
    this.#buffer.set(input, this.#held);
    this.#held = needed;
  }

  #room(samples: number): Float32Array {
    if (this.#out.length < samples) this.#out = new Float32Array(samples);
    return this.#out;
  }
}

/** A whole clip, aligned with its input: `ceil(samples.length * toHz / fromHz)` samples in an array of their own. */
export function resampleAll(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const resampler = new Resampler(fromHz, toHz);
  const body = resampler.process(samples).slice();
  const tail = resampler.flush();
  const out = new Float32Array(body.length + tail.length);
  out.set(body);
  out.set(tail, body.length);
  return out;
}

/** Four sums side by side: one alone would wait for each addition's latency. `length` is a multiple of 4. */
function dot(a: Float32Array, aStart: number, b: Float32Array, bStart: number, length: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let j = 0; j < length; j += 4) {
    s0 += a[aStart + j]! * b[bStart + j]!;
    s1 += a[aStart + j + 1]! * b[bStart + j + 1]!;
    s2 += a[aStart + j + 2]! * b[bStart + j + 2]!;
    s3 += a[aStart + j + 3]! * b[bStart + j + 3]!;
  }
  return s0 + s1 + (s2 + s3);
}

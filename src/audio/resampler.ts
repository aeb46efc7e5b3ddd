import { polyphaseBank, type PolyphaseBank } from "./polyphase-bank.ts";

/**
 * Band-limited sample rate conversion of a stream, any whole rates.
 *
 * Output n is the input at time `n * fromHz / toHz` exactly. The stream is not shifted: an output waits until the
 * input samples after it are known. N input samples give `ceil(N * toHz / fromHz)` outputs once flushed.
 * How the input is cut into chunks changes no bit of the output.
 */
export class Resampler {
  /** Look-ahead in input samples: an output is ready this many input samples after its own time. */
  readonly delaySamples: number;
  readonly #bank: PolyphaseBank | undefined;
  /** History, then the current chunk. Doubles, like the sums, because a conversion for each product costs more. */
  #buffer: Float64Array;
  /** Samples of `#buffer` that hold history. */
  #held = 0;
  /** Position in `#buffer` of the next output's filter, in units of 1 / `bank.up` sample. */
  #next = 0;
  #out = new Float32Array(0);

  /** Throws RangeError unless both rates are whole numbers above 0. */
  constructor(fromHz: number, toHz: number) {
    const bank = polyphaseBank(fromHz, toHz);
    this.#bank = fromHz === toHz ? undefined : bank;
    this.delaySamples = this.#bank === undefined ? 0 : bank.halfTaps;
    this.#buffer = new Float64Array(2 * this.delaySamples);
    this.reset();
  }

  /** Returns the outputs that are known so far, in an array valid until the next call. Equal rates: the input itself. */
  process(input: Float32Array): Float32Array {
    const bank = this.#bank;
    if (bank === undefined) return input;
    this.#append(input);

    const { up, down, weights } = bank;
    const taps = 2 * bank.halfTaps;
    const first = this.#next;
    const last = (this.#held - taps) * up + up - 1;
    const count = Math.max(0, Math.floor((last - first) / down) + 1);
    const out = this.#room(count);
    // Every `up`-th output has the same phase and the same weights.
    for (let phase = 0; phase < up && phase < count; phase++) {
      const at = first + phase * down;
      const row = (at % up) * taps;
      let from = Math.floor(at / up);
      let index = phase;
      for (; index + 7 * up < count; index += 8 * up, from += 8 * down)
        eightSums(this.#buffer, from, down, weights, row, taps, out, index, up);
      for (; index < count; index += up, from += down) out[index] = sum(this.#buffer, from, weights, row, taps);
    }
    // Keep only samples that later outputs read. A long step may end beyond the newest sample.
    const next = first + count * down;
    const drop = Math.min(Math.floor(next / up), this.#held);
    this.#buffer.copyWithin(0, drop, this.#held);
    this.#held -= drop;
    this.#next = next - drop * up;
    return out.subarray(0, count);
  }

  /** The rest of the output, as if silence followed. Resets the resampler. Valid until the next call. */
  flush(): Float32Array {
    const tail = this.process(new Float32Array(this.delaySamples));
    this.reset();
    return tail;
  }

  /** Forgets the stream: the next sample is sample 0. */
  reset(): void {
    this.#next = 0;
    // Silence before the first sample, so that the filter of output 0 is centred on input 0.
    this.#held = Math.max(0, this.delaySamples - 1);
    this.#buffer.fill(0, 0, this.#held);
  }

  #append(input: Float32Array): void {
    const needed = this.#held + input.length;
    if (needed > this.#buffer.length) {
      const grown = new Float64Array(needed);
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

function sum(samples: Float64Array, from: number, weights: Float64Array, row: number, taps: number): number {
  let total = 0;
  for (let tap = 0; tap < taps; tap++) total += weights[row + tap]! * samples[from + tap]!;
  return total;
}

/**
 * Writes eight outputs of one phase to `out[index]` and every `stride`-th after it. Their inputs begin `step` samples apart.
 * Each weight is read once for all eight. The order of additions is that of `sum`, so that the results are identical.
 */
function eightSums(
  samples: Float64Array,
  from: number,
  step: number,
  weights: Float64Array,
  row: number,
  taps: number,
  out: Float32Array,
  index: number,
  stride: number,
): void {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  for (let tap = 0; tap < taps; tap++) {
    const weight = weights[row + tap]!;
    const at = from + tap;
    s0 += weight * samples[at]!;
    s1 += weight * samples[at + step]!;
    s2 += weight * samples[at + 2 * step]!;
    s3 += weight * samples[at + 3 * step]!;
    s4 += weight * samples[at + 4 * step]!;
    s5 += weight * samples[at + 5 * step]!;
    s6 += weight * samples[at + 6 * step]!;
    s7 += weight * samples[at + 7 * step]!;
  }
  out[index] = s0;
  out[index + stride] = s1;
  out[index + 2 * stride] = s2;
  out[index + 3 * stride] = s3;
  out[index + 4 * stride] = s4;
  out[index + 5 * stride] = s5;
  out[index + 6 * stride] = s6;
  out[index + 7 * stride] = s7;
}

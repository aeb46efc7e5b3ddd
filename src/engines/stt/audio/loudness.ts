import { MODEL_HZ } from "../../../audio/format.ts";

const FRAME_SECONDS = 0.01;
const FRAME_SAMPLES = MODEL_HZ * FRAME_SECONDS;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Which 10 ms frames of a clip are loud enough to be part of a word, by their level against the clip's loud frames. */
export class Loudness {
  readonly #rms: Float32Array;
  readonly #threshold: number;

  constructor(samples: Float32Array) {
    this.#rms = Float32Array.from({ length: Math.floor(samples.length / FRAME_SAMPLES) }, (_, frame) =>
      rms(samples, frame),
    );
    const sorted = this.#rms.toSorted();
    const loud = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
    const quiet = sorted[Math.floor(sorted.length * 0.05)] ?? 0;
    this.#threshold = Math.max(loud * 0.06, Math.min(quiet * 2, loud * 0.5));
  }

  /** Length of all loud frames together. */
  get voicedSeconds(): number {
    return this.#rms.filter((level) => level > this.#threshold).length * FRAME_SECONDS;
  }

  /** The span without its quiet beginning and end, in seconds; unchanged when all of it is quiet. */
  tighten({ start, end }: Span): Span {
    let first = Math.max(0, Math.floor(start / FRAME_SECONDS));
    let last = Math.min(this.#rms.length, Math.ceil(end / FRAME_SECONDS)) - 1;
    while (first <= last && !this.#isLoud(first)) first++;
    while (last >= first && !this.#isLoud(last)) last--;
    if (first > last) return { start, end };
    return { start: Math.max(start, first * FRAME_SECONDS), end: Math.min(end, (last + 1) * FRAME_SECONDS) };
  }

  #isLoud(frame: number): boolean {
    return (this.#rms[frame] ?? 0) > this.#threshold;
  }
}

function rms(samples: Float32Array, frame: number): number {
  let energy = 0;
  for (let index = frame * FRAME_SAMPLES; index < (frame + 1) * FRAME_SAMPLES; index++)
    energy += (samples[index] ?? 0) ** 2;
  return Math.sqrt(energy / FRAME_SAMPLES);
}

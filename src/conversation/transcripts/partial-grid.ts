import { MODEL_HZ } from "../../audio/format.ts";

/** New audio before the next partial. */
const STEP_SAMPLES = 0.2 * MODEL_HZ;
/** Partials of longer clips cost more, so they are half as frequent. */
const LONG_CLIP_SAMPLES = 4 * MODEL_HZ;
/** Late partials are still decoded, so that every machine which keeps pace decodes the same ones. */
const MOST_LATE_STEPS = 4;

/** Ends of the clips of a turn's partials. They lie on a grid that begins with the turn, so that they do not depend on the machine. */
export class PartialGrid {
  readonly #origin: number;
  #doneTo: number;

  constructor(origin: number) {
    this.#origin = origin;
    this.#doneTo = origin;
  }

  /** The end of the next partial that begins at `from`. Undefined while none is due. */
  next(from: number, endSample: number): number | undefined {
    const newest = this.#stepOf(endSample);
    for (let step = Math.max(this.#stepOf(this.#doneTo) + 1, newest - MOST_LATE_STEPS); step <= newest; step += 1) {
      const to = this.#origin + step * STEP_SAMPLES;
      if (step % 2 === 0 || to - from <= LONG_CLIP_SAMPLES) return to;
    }
    return undefined;
  }

  begin(to: number): void {
    this.#doneTo = Math.max(this.#doneTo, to);
  }

  /** The recogniser had no room. The partial is due again until it is too late for it. */
  refuse(to: number): void {
    this.#doneTo = to - STEP_SAMPLES;
  }

  /** Partials up to here are no longer due. */
  skipTo(endSample: number): void {
    this.begin(endSample);
  }

  #stepOf(position: number): number {
    return Math.floor((position - this.#origin) / STEP_SAMPLES);
  }
}

import { MODEL_HZ } from "../../audio/format.ts";
import { LevelMeter } from "../../audio/level.ts";
import { RumbleFilter } from "../../audio/rumble-filter.ts";

/** Noise at this level and above is rumble when the filter lowers it by more than `RUMBLE_DB`. */
const QUIETEST_RUMBLE_DBFS = -60;
const RUMBLE_DB = 6;

/** Level of the caller's audio and of its noise, frame by frame. */
export class CallerLevel {
  readonly #whole: LevelMeter;
  readonly #withoutRumble: LevelMeter;
  readonly #filter = new RumbleFilter(MODEL_HZ);
  readonly #filtered: Float32Array;

  constructor(frameSamples: number) {
    this.#filtered = new Float32Array(frameSamples);
    this.#whole = new LevelMeter(frameSamples / MODEL_HZ);
    this.#withoutRumble = new LevelMeter(frameSamples / MODEL_HZ);
  }

  /** The meter without rumble when most of the noise is rumble. */
  get meter(): LevelMeter {
    const { noiseFloorDbfs } = this.#whole;
    const isRumble =
      noiseFloorDbfs > QUIETEST_RUMBLE_DBFS && noiseFloorDbfs - this.#withoutRumble.noiseFloorDbfs > RUMBLE_DB;
    return isRumble ? this.#withoutRumble : this.#whole;
  }

  /** @param isSilence Silence in the place of missing audio says nothing about the room. */
  update(frame: Float32Array, isSilence: boolean): void {
    this.#filtered.set(frame);
    this.#filter.process(this.#filtered);
    if (isSilence) {
      this.#whole.skip();
      this.#withoutRumble.skip();
    } else {
      this.#whole.update(frame);
      this.#withoutRumble.update(this.#filtered);
    }
  }
}

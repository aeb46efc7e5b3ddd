/** Level of a frame and of the room's noise. */

/** Lowest reported level; digital silence has it. */
export const SILENCE_DBFS = -100;

/** Root mean square in dB relative to a full-scale square wave (a full-scale sine: -3 dBFS). */
export function rmsDbfs(samples: Float32Array): number {
  return powerToDbfs(meanPower(samples));
}

/** Largest magnitude. */
export function peak(samples: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < samples.length; i++) {
    const magnitude = Math.abs(samples[i]!);
    if (magnitude > largest) largest = magnitude;
  }
  return largest;
}

/** Longer than speech without a gap, so the minimum over this time is the room's noise. */
const FLOOR_WINDOW_SECONDS = 3;
const FLOOR_PARTS = 6;

/**
 * Measures level and noise floor. The level covers the last two frames: a decaying average would take half a second to forget
 * a loud word in a quiet room, and would count as a voice until then. The noise floor is the minimum level of the last 3 s
 * (minimum statistics after R. Martin, 2001, with 6 sub-windows). It falls at once and rises within 3 s. Speech does not raise it.
 */
export class LevelMeter {
  readonly #framesPerPart: number;
  readonly #parts = new Float64Array(FLOOR_PARTS).fill(Number.POSITIVE_INFINITY);
  #part = 0;
  #framesInPart = 0;
  /** NaN before the first frame. `undefined` beside a number would put each number on the heap. */
  #power = NaN;
  #framePower = NaN;

  /** `frameSeconds`: length of the frames that `update` will get. */
  constructor(frameSeconds: number) {
    if (!(frameSeconds > 0)) throw new RangeError(`frameSeconds must be above 0, got ${frameSeconds}`);
    this.#framesPerPart = Math.max(1, Math.round(FLOOR_WINDOW_SECONDS / FLOOR_PARTS / frameSeconds));
  }

  update(frame: Float32Array): void {
    const power = meanPower(frame);
    this.#power = Number.isNaN(this.#framePower) ? power : (power + this.#framePower) / 2;
    this.#framePower = power;
    if (this.#framesInPart === this.#framesPerPart) {
      this.#part = (this.#part + 1) % FLOOR_PARTS;
      this.#parts[this.#part] = Number.POSITIVE_INFINITY;
      this.#framesInPart = 0;
    }
    this.#framesInPart++;
    this.#parts[this.#part] = Math.min(this.#parts[this.#part]!, this.#power);
  }

  /** A frame is missing: there is no level, and the noise floor stays. */
  skip(): void {
    this.#power = 0;
    this.#framePower = NaN;
  }

  get levelDbfs(): number {
    return powerToDbfs(Number.isNaN(this.#power) ? 0 : this.#power);
  }

  get noiseFloorDbfs(): number {
    return Number.isNaN(this.#power) ? SILENCE_DBFS : powerToDbfs(least(this.#parts));
  }

  /**
   * `voice_activity.activity_level`: 0 at or below 3 dB over the noise floor, 1 from 33 dB over it, linear in dB between.
   * Floors below -70 dBFS count as -70. Otherwise hiss after digital silence would count as activity.
   */
  get activityLevel(): number {
    return unit((this.levelDbfs - Math.max(this.noiseFloorDbfs, -70) - 3) / 30);
  }

  /**
   * `voice_activity.background_noise_level`: noise floor, -75 dBFS -> 0, -25 dBFS -> 1, linear in dB.
   * 0.7 is -40 dBFS, about 15 dB below speech at an ordinary recording level (-25 dBFS).
   */
  get backgroundNoiseLevel(): number {
    return unit((this.noiseFloorDbfs + 75) / 50);
  }
}

function least(values: Float64Array): number {
  let smallest = values[0]!;
  for (let i = 1; i < values.length; i++) if (values[i]! < smallest) smallest = values[i]!;
  return smallest;
}

function meanPower(samples: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i]!;
    sum += sample * sample;
  }
  return samples.length === 0 ? 0 : sum / samples.length;
}

function powerToDbfs(power: number): number {
  return Math.max(SILENCE_DBFS, 10 * Math.log10(power));
}

function unit(value: number): number {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

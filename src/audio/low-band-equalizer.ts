import { bandPass, lowShelf, Section } from "./second-order-section.ts";

/** Length of the stretches in which two bands are compared, ms. */
const STEP_MS = 20;
/** The band that a telephone line may have cut, and a band that every line has. */
const LOW = { hz: 170, quality: 1.5, sections: 3 };
const MIDDLE = { hz: 600, quality: 0.7 };
/**
 * Level of the low band beside the middle one, dB: a usual one, the lowest that a deep voice has on a whole line, and one that
 * only a cut line has.
 */
const USUAL_DB = -8;
const LOWEST_DB = -16;
const CUT_DB = -19;
/** Gain for each dB below it: the shelf begins above the low band, so it adds less there. The most that is added, dB. */
const GAIN = 1.6;
const MOST_DB = 20;
const SHELF_HZ = 250;
/** Voiced steps before the first change, and those that the average remembers: 0.3 and 4 s of voice. */
const FIRST_STEPS = 15;
const REMEMBERED_STEPS = 200;
/** A step is voiced from this power, and from this share of the recent peak. The peak decays with every step. */
const LEAST_POWER = 1e-6;
const VOICED_SHARE = 0.05;
const PEAK_DECAY = 0.998;
const FULL_SCALE = 32_768;

/**
 * Restores low frequencies of speech that a telephone line has weakened. It measures how much is missing, so speech with its low
 * frequencies stays as it is. The numbers were chosen in docs/measurements/telephone.md.
 */
export class LowBandEqualizer {
  readonly #low: readonly Section[];
  readonly #middle: Section;
  readonly #shelf = new Section();
  readonly #sampleRateHz: number;
  readonly #stepSamples: number;
  #lowPower = 0;
  #middlePower = 0;
  #inStep = 0;
  #peak = 0;
  #voicedSteps = 0;
  #ratioDb = 0;
  #gainDb = 0;

  constructor(sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz;
    this.#stepSamples = Math.round((sampleRateHz * STEP_MS) / 1000);
    const low = bandPass(LOW.hz, LOW.quality, sampleRateHz);
    this.#low = Array.from({ length: LOW.sections }, () => new Section(low));
    this.#middle = new Section(bandPass(MIDDLE.hz, MIDDLE.quality, sampleRateHz));
  }

  /** Gain of the low frequencies at present. */
  get gainDb(): number {
    return this.#gainDb;
  }

  /** Returns the samples of the stream, in an array of their own. */
  process(pcm: Int16Array): Int16Array {
    const out = new Int16Array(pcm.length);
    for (let at = 0; at < pcm.length; at++) {
      const sample = pcm[at]! / FULL_SCALE;
      let low = sample;
      for (const section of this.#low) low = section.next(low);
      this.#lowPower += low * low;
      this.#middlePower += this.#middle.next(sample) ** 2;
      if ((this.#inStep += 1) === this.#stepSamples) this.#compare();
      out[at] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(this.#shelf.next(sample) * FULL_SCALE)));
    }
    return out;
  }

  #compare(): void {
    const power = this.#middlePower / this.#stepSamples;
    const ratioDb = 10 * Math.log10((this.#lowPower + 1e-12) / (this.#middlePower + 1e-12));
    this.#lowPower = this.#middlePower = this.#inStep = 0;
    this.#peak = Math.max(this.#peak * PEAK_DECAY, power);
    if (power < LEAST_POWER || power < VOICED_SHARE * this.#peak) return;
    this.#voicedSteps = Math.min(this.#voicedSteps + 1, REMEMBERED_STEPS);
    this.#ratioDb += (ratioDb - this.#ratioDb) / this.#voicedSteps;
    if (this.#voicedSteps < FIRST_STEPS) return;
    const certainty = Math.max(0, Math.min(1, (LOWEST_DB - this.#ratioDb) / (LOWEST_DB - CUT_DB)));
    this.#gainDb = Math.max(0, certainty * Math.min(MOST_DB, GAIN * (USUAL_DB - this.#ratioDb)));
    this.#shelf.become(lowShelf(SHELF_HZ, this.#gainDb, this.#sampleRateHz));
  }
}

import { SpeechFeatures, MOST_ACTIVE_FRAMES } from "./speech-features.ts";
import { scoreSpeechRate, type RateScores } from "./speech-rate-model.ts";

/** After how many frames with sound (10 ms each) a verdict is tried. */
const CHECKPOINTS = [32, 40, 48, 64, 96, 128, 192, 256, MOST_ACTIVE_FRAMES];
/** Samples between two looks at the number of frames: fewer frames than between two checkpoints. */
const STEP = 1200;
/** How much more likely, in log odds, a wrong rate must be than the right one. */
const BY_SOUND_ALONE: RateScores = { slow: 7.5, fast: 9.5, fastest: 9.5 };
const WITH_PACE: RateScores = { slow: 5, fast: 4, fastest: 3 };
/** A sound card's clock and a few dropped chunks. */
const PACE_ERROR = 0.035;
const RATES = [
  { hz: 8_000, sound: "fastest" },
  { hz: 16_000, sound: "fast" },
  { hz: 44_100, sound: "slow" },
  { hz: 48_000, sound: "slow" },
] as const;

/** Tells speech that was sampled at another rate than 24 kHz by its sound, and by the pace at which it arrives. */
export class SpeechRate {
  readonly #features = new SpeechFeatures();
  #checkpoint = 0;
  /** At the last checkpoint, and at the one before it. */
  #scores: RateScores | undefined;
  #before: RateScores | undefined;

  get isDone(): boolean {
    return this.#checkpoint === CHECKPOINTS.length;
  }

  /**
   * @param pace Times real time, if the client sends steadily.
   * @returns The rate in Hz, once it is clear that it is a wrong one.
   */
  push(samples: Int16Array, pace: number | undefined): number | undefined {
    for (let at = 0; at < samples.length && !this.isDone; at += STEP) {
      this.#features.push(samples.subarray(at, at + STEP));
      if (this.#features.activeFrames >= CHECKPOINTS[this.#checkpoint]!) {
        this.#checkpoint += 1;
        this.#before = this.#scores;
        this.#scores = scoreSpeechRate(this.#features.read());
      }
      if (this.#scores === undefined || this.#before === undefined) continue;
      const rateHz = judge(least(this.#scores, this.#before), pace);
      if (rateHz !== undefined) return rateHz;
    }
    return undefined;
  }
}

function judge(scores: RateScores, pace: number | undefined): number | undefined {
  const paced = RATES.find(({ hz }) => pace !== undefined && Math.abs((pace * 24_000) / hz - 1) < PACE_ERROR);
  if (paced !== undefined && scores[paced.sound] > WITH_PACE[paced.sound]) return paced.hz;
  if (scores.fastest > BY_SOUND_ALONE.fastest) return 8_000;
  if (scores.fast > BY_SOUND_ALONE.fast) return 16_000;
  if (scores.slow > BY_SOUND_ALONE.slow) return 48_000;
  return undefined;
}

const least = (a: RateScores, b: RateScores): RateScores => ({
  slow: Math.min(a.slow, b.slow),
  fast: Math.min(a.fast, b.fast),
  fastest: Math.min(a.fastest, b.fastest),
});

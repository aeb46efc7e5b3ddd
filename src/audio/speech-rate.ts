import { CALL_HZ } from "./format.ts";
import { SpeechFeatures, MOST_ACTIVE_FRAMES } from "./speech-features.ts";
import { scoreSpeechRate, type RateScores } from "./speech-rate-model.ts";

/** Numbers of frames with sound (10 ms each) after which the rate is judged. */
const CHECKPOINTS = [32, 40, 48, 64, 96, 128, 192, 256, MOST_ACTIVE_FRAMES];
/** Samples between two checks of the number of frames. They hold fewer frames than the distance of two checkpoints. */
const STEP = 1200;
/**
 * How much more likely, in log odds, a wrong rate must be than the right one. By sound alone there is no verdict for
 * 16 kHz: children's and synthetic voices at the right rate sound the same.
 */
const FASTEST_ALONE = 9.5;
const SLOW_ALONE = 10;
/** A sound card's clock and a few dropped chunks. */
const PACE_ERROR = 0.035;
/** The thresholds for clients whose pace is that of the rate. */
const RATES: readonly { hz: number; threshold: number; score: (scores: RateScores) => number }[] = [
  { hz: 8_000, threshold: 3, score: ({ fastest }) => fastest },
  { hz: 16_000, threshold: 5, score: ({ fast, fastest }) => Math.max(fast, fastest) },
  { hz: 44_100, threshold: 5, score: ({ slow }) => slow },
  { hz: 48_000, threshold: 5, score: ({ slow }) => slow },
];

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
   * @returns The rate, once it is clear that it is a wrong one.
   */
  push(samples: Int16Array, pace: number | undefined): string | undefined {
    for (let at = 0; at < samples.length && !this.isDone; at += STEP) {
      this.#features.push(samples.subarray(at, at + STEP));
      if (this.#features.activeFrames >= CHECKPOINTS[this.#checkpoint]!) {
        this.#checkpoint += 1;
        this.#before = this.#scores;
        this.#scores = scoreSpeechRate(this.#features.read());
      }
      if (this.#scores === undefined || this.#before === undefined) continue;
      const rate = judge(least(this.#scores, this.#before), pace);
      if (rate !== undefined) return rate;
    }
    return undefined;
  }
}

function judge(scores: RateScores, pace: number | undefined): string | undefined {
  const paced = RATES.find(({ hz }) => pace !== undefined && Math.abs((pace * CALL_HZ) / hz - 1) < PACE_ERROR);
  if (paced !== undefined && paced.score(scores) > paced.threshold) return `${paced.hz} Hz`;
  if (scores.fastest > FASTEST_ALONE) return "8000 Hz or 16000 Hz";
  if (scores.slow > SLOW_ALONE) return "44100 Hz or 48000 Hz";
  return undefined;
}

const least = (a: RateScores, b: RateScores): RateScores => ({
  slow: Math.min(a.slow, b.slow),
  fast: Math.min(a.fast, b.fast),
  fastest: Math.min(a.fastest, b.fastest),
});

import type { EmotionSettings } from "../settings.ts";
import type { EmotionClassifier } from "../../engines/emotion/emotion-classifier.ts";

/** Positions in the session's audio, `from` inclusive, `to` exclusive. */
export interface AudioSpan {
  readonly fromSamples: number;
  readonly toSamples: number;
}

const CONTINUOUS_SECONDS = 0.5;

/**
 * When to look at a caller's emotion, and at which audio. Time is samples; nothing here waits or runs a model.
 * A span is never shorter than the model needs, and holds speech: before and after it the room has no emotion.
 */
export class EmotionPolicy {
  readonly #rateHz: number;
  readonly #model: Pick<EmotionClassifier, "minSeconds" | "maxSeconds">;
  /** The frames of the speech at hand, or since the last look when looking at intervals. */
  #speech: AudioSpan | undefined;
  /** How much of that the user spoke: an interval may be mostly silence. */
  #spokenSamples = 0;
  #speechOpen = false;
  /** Where the next look may happen. */
  #nextSamples: number | undefined;
  #lastSamples = 0;

  constructor(rateHz: number, model: Pick<EmotionClassifier, "minSeconds" | "maxSeconds">) {
    this.#rateHz = rateHz;
    this.#model = model;
  }

  /**
   * Call once per frame, whatever the settings. `nowSamples`: where the frame ends; `speaking`: the user is in a turn.
   * - continuous: while the user speaks, at most every 0.5 s.
   * - interval: every `windowMs` (never less than the model needs) in which the user spoke long enough.
   * - on-turn-end: never from here, see `turnEnd`.
   */
  due(nowSamples: number, speaking: boolean, settings: EmotionSettings): AudioSpan | undefined {
    const interval = settings.updates === "interval";
    this.#follow(nowSamples, speaking, interval);
    if (!settings.enabled || settings.updates === "on-turn-end") return undefined;

    const intervalSeconds = Math.max(settings.windowMs / 1000, this.#model.minSeconds);
    const everySamples = Math.ceil((interval ? intervalSeconds : CONTINUOUS_SECONDS) * this.#rateHz);
    // The first interval begins with the session (or the setting); later ones where the last ended.
    this.#nextSamples ??= interval ? nowSamples + everySamples : nowSamples;
    // A setting that was shortened takes hold now.
    this.#nextSamples = Math.min(this.#nextSamples, nowSamples + everySamples);
    if (nowSamples < this.#nextSamples) return undefined;
    if (!interval && !speaking) return undefined;

    const speech = this.#speech;
    const spokeEnough = this.#spokenSamples >= Math.ceil(this.#model.minSeconds * this.#rateHz);
    const span = speech && spokeEnough ? this.#window(speech.fromSamples, speech.toSamples, settings) : undefined;
    if (interval) {
      this.#nextSamples = nowSamples + everySamples;
      // Speech that is going on and was too short to look at counts towards the next look.
      if (span !== undefined || !speaking) this.#speech = undefined;
    } else if (span !== undefined) {
      this.#nextSamples = nowSamples + everySamples;
    }
    return span;
  }

  /** The user's turn is over: for "on-turn-end", its last window. */
  turnEnd(startSamples: number, endSamples: number, settings: EmotionSettings): AudioSpan | undefined {
    if (!settings.enabled || settings.updates !== "on-turn-end") return undefined;
    return this.#window(startSamples, endSamples, settings);
  }

  #follow(nowSamples: number, speaking: boolean, interval: boolean): void {
    const frameStart = this.#lastSamples;
    this.#lastSamples = nowSamples;
    if (speaking) {
      const goesOn = this.#speechOpen || interval;
      const before = goesOn ? this.#speech : undefined;
      this.#speech = { fromSamples: before?.fromSamples ?? frameStart, toSamples: nowSamples };
      this.#spokenSamples = (before === undefined ? 0 : this.#spokenSamples) + nowSamples - frameStart;
    }
    this.#speechOpen = speaking;
  }

  #window(fromSamples: number, toSamples: number, settings: EmotionSettings): AudioSpan | undefined {
    const { minSeconds, maxSeconds } = this.#model;
    const seconds = Math.min(Math.max(settings.windowMs / 1000, minSeconds), maxSeconds);
    if (toSamples - fromSamples < Math.ceil(minSeconds * this.#rateHz)) return undefined;
    return { fromSamples: Math.max(fromSamples, toSamples - Math.round(seconds * this.#rateHz)), toSamples };
  }
}

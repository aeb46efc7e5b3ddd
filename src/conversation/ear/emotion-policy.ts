import type { EmotionSettings } from "../../config/settings/session-settings.ts";
import type { EmotionClassifier } from "../../engines/emotion/emotion-classifier.ts";

/** Positions in the session's audio, `from` inclusive, `to` exclusive. */
export interface AudioSpan {
  readonly fromSamples: number;
  readonly toSamples: number;
}

const CONTINUOUS_SECONDS = 0.5;

/**
 * Decides when to classify a caller's emotion, and which audio. Time is samples, and no model runs here. A span is never
 * shorter than the model needs, and begins and ends with speech.
 */
export class EmotionPolicy {
  readonly #rateHz: number;
  readonly #model: Pick<EmotionClassifier, "minSeconds" | "maxSeconds">;
  /** The frames of the current speech, or with intervals the speech since the last span. */
  #speech: AudioSpan | undefined;
  /** Speech in it: an interval may be mostly silence. */
  #spokenSamples = 0;
  #speechOpen = false;
  /** Earliest position of the next span's end. */
  #nextSamples: number | undefined;
  #lastSamples = 0;

  constructor(rateHz: number, model: Pick<EmotionClassifier, "minSeconds" | "maxSeconds">) {
    this.#rateHz = rateHz;
    this.#model = model;
  }

  /**
   * Call once per frame with any settings. `nowSamples`: end of the frame. `speaking`: the caller is in a turn.
   * - continuous: while the caller speaks, at most every 0.5 s.
   * - interval: every `windowMs` (never less than the model needs) with enough speech in it.
   * - on-turn-end: never from here, see `turnEnd`.
   */
  due(nowSamples: number, speaking: boolean, settings: EmotionSettings): AudioSpan | undefined {
    const interval = settings.updates === "interval";
    this.#follow(nowSamples, speaking, interval);
    if (!settings.enabled || settings.updates === "on-turn-end") return undefined;

    const intervalSeconds = Math.max(settings.windowMs / 1000, this.#model.minSeconds);
    const everySamples = Math.ceil((interval ? intervalSeconds : CONTINUOUS_SECONDS) * this.#rateHz);
    // The first interval begins with the session or the setting, each later one at the end of the one before.
    this.#nextSamples ??= interval ? nowSamples + everySamples : nowSamples;
    // A shorter setting takes effect at once.
    this.#nextSamples = Math.min(this.#nextSamples, nowSamples + everySamples);
    if (nowSamples < this.#nextSamples) return undefined;
    if (!interval && !speaking) return undefined;

    const speech = this.#speech;
    const spokeEnough = this.#spokenSamples >= Math.ceil(this.#model.minSeconds * this.#rateHz);
    const span = speech && spokeEnough ? this.#window(speech.fromSamples, speech.toSamples, settings) : undefined;
    if (interval) {
      this.#nextSamples = nowSamples + everySamples;
      // Speech that continues and was too short counts towards the next interval.
      if (span !== undefined || !speaking) this.#speech = undefined;
    } else if (span !== undefined) {
      this.#nextSamples = nowSamples + everySamples;
    }
    return span;
  }

  /** The last window of a turn that has ended, for "on-turn-end". */
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

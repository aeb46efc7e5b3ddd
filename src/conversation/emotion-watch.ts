import type { SampleRing } from "../audio/ring-buffer.ts";
import type { EmotionClassifier } from "../emotion/contract.ts";
import { EmotionPolicy, type AudioSpan, type EmotionSettings } from "../emotion/emotion-policy.ts";
import { buildEmotionUpdate } from "../emotion/emotion-update.ts";
import type { ServerData } from "../protocol/server-messages.ts";
import { HEARING_HZ } from "./session-time.ts";

export interface EmotionWatchOptions {
  readonly classifier: EmotionClassifier;
  readonly ring: SampleRing;
  readonly connectionId: string;
  readonly signal: AbortSignal;
  readonly onUpdate: (update: ServerData["emotion_update"]) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Looks at the caller's emotion when the settings ask for it: one look at a time, a look that comes too soon is left out. */
export class EmotionWatch {
  readonly #options: EmotionWatchOptions;
  readonly #policy: EmotionPolicy;
  #looking: Promise<void> | undefined;
  #failing = false;

  constructor(options: EmotionWatchOptions) {
    this.#options = options;
    this.#policy = new EmotionPolicy(HEARING_HZ, options.classifier);
  }

  onFrame(endSample: number, speaking: boolean, settings: EmotionSettings): void {
    const span = this.#policy.due(endSample, speaking, settings);
    if (span !== undefined && this.#looking === undefined) void this.#look(span, settings);
  }

  /** Resolves when the turn's own look, if the settings ask for one, has been sent. */
  async onTurnEnd(startSample: number, endSample: number, settings: EmotionSettings): Promise<void> {
    const span = this.#policy.turnEnd(startSample, endSample, settings);
    if (span === undefined) return;
    await this.#looking;
    await this.#look(span, settings);
  }

  /** Resolves when no look is under way. */
  async idle(): Promise<void> {
    await this.#looking;
  }

  #look(span: AudioSpan, settings: EmotionSettings): Promise<void> {
    this.#looking = this.#classify(span, settings).finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #classify({ fromSamples, toSamples }: AudioSpan, settings: EmotionSettings): Promise<void> {
    const { classifier, ring, connectionId, signal, onUpdate, onFailure } = this.#options;
    const startedMs = performance.now();
    try {
      const scores = await classifier.classify(ring.read(fromSamples, toSamples), signal);
      this.#failing = false;
      const update = buildEmotionUpdate(
        scores,
        settings,
        { connectionId },
        {
          processingSeconds: (performance.now() - startedMs) / 1000,
          utteranceSeconds: (toSamples - fromSamples) / HEARING_HZ,
        },
      );
      if (update !== undefined && !signal.aborted) onUpdate(update);
    } catch (error) {
      // Twice a second the same would leave a client no room for other errors: said once, until it has worked again.
      if (!this.#failing && !signal.aborted) onFailure(error);
      this.#failing = true;
    }
  }
}

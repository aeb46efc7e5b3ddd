import { MODEL_HZ } from "../../audio/format.ts";
import type { SampleRing } from "../../audio/ring-buffer.ts";
import type { EmotionClassifier, EmotionScores } from "../../engines/emotion/emotion-classifier.ts";
import { EmotionPolicy, type AudioSpan, type EmotionSettings } from "./emotion-policy.ts";
import { buildEmotionUpdate } from "./emotion-update.ts";
import type { ServerData } from "../../doors/voice/server-messages.ts";
import type { Clock } from "../../shared/clock.ts";
import { FailureReporter } from "../../shared/failure-reporter.ts";
import { settledWithin } from "../../shared/settled-within.ts";
import type { Tasks } from "../../shared/tasks.ts";

/** How long a reply waits for the emotion of its turn. */
const REPLY_WAITS_MS = 150;

export interface EmotionWatchOptions {
  readonly classifier: EmotionClassifier;
  readonly ring: SampleRing;
  readonly connectionId: string;
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly signal: AbortSignal;
  readonly onUpdate: (update: ServerData["emotion_update"]) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Looks at the caller's emotion when the settings ask for it: one look at a time, a look that comes too soon is left out. */
export class EmotionWatch {
  readonly #options: EmotionWatchOptions;
  readonly #policy: EmotionPolicy;
  #looking: Promise<void> | undefined;
  /** A turn's own look waits for the one under way. */
  #isWaiting = false;
  readonly #failures: FailureReporter;

  constructor(options: EmotionWatchOptions) {
    this.#options = options;
    this.#failures = new FailureReporter(options.onFailure);
    this.#policy = new EmotionPolicy(MODEL_HZ, options.classifier);
  }

  onFrame(endSample: number, speaking: boolean, settings: EmotionSettings): void {
    const span = this.#policy.due(endSample, speaking, settings);
    if (span !== undefined && this.#looking === undefined) this.#options.tasks.own(this.#look(span, settings));
  }

  /** Resolves when the turn's own look, if the settings ask for one, has been sent, or 150 ms later: a slow one comes late. */
  async onTurnEnd(startSample: number, endSample: number, settings: EmotionSettings): Promise<void> {
    const span = this.#policy.turnEnd(startSample, endSample, settings);
    if (span === undefined || this.#isWaiting) return;
    const { clock, signal, tasks } = this.#options;
    const looked = this.#lookNext(span, settings);
    tasks.own(looked);
    await settledWithin(looked, REPLY_WAITS_MS, clock, signal);
  }

  async #lookNext(span: AudioSpan, settings: EmotionSettings): Promise<void> {
    this.#isWaiting = true;
    await this.#looking?.catch(() => undefined);
    this.#isWaiting = false;
    if (!this.#options.signal.aborted) await this.#look(span, settings);
  }

  #look(span: AudioSpan, settings: EmotionSettings): Promise<void> {
    this.#looking = this.#classify(span, settings).finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #classify({ fromSamples, toSamples }: AudioSpan, settings: EmotionSettings): Promise<void> {
    const { classifier, ring, connectionId, signal, onUpdate } = this.#options;
    const startedMs = performance.now();
    let scores: EmotionScores;
    try {
      scores = await classifier.classify(ring.read(fromSamples, toSamples), signal);
      this.#failures.succeeded();
    } catch (error) {
      if (!signal.aborted) this.#failures.failed(error);
      return;
    }
    const update = buildEmotionUpdate(
      scores,
      settings,
      { connectionId },
      {
        processingSeconds: (performance.now() - startedMs) / 1000,
        utteranceSeconds: (toSamples - fromSamples) / MODEL_HZ,
      },
    );
    if (update !== undefined && !signal.aborted) onUpdate(update);
  }
}

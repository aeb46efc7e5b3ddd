import { MODEL_HZ } from "../../audio/format.ts";
import type { SampleRing } from "../../audio/ring-buffer.ts";
import type { EmotionClassifier, EmotionScores } from "../../engines/emotion/emotion-classifier.ts";
import type { Clock } from "../../shared/clock.ts";
import { FailureReporter } from "../../shared/failure-reporter.ts";
import { settledWithin } from "../../shared/settled-within.ts";
import type { Tasks } from "../../shared/tasks.ts";
import type { Emit } from "../events.ts";
import type { EmotionSettings } from "../../config/settings/session-settings.ts";
import { EmotionPolicy, type AudioSpan } from "./emotion-policy.ts";
import { scoreEmotions } from "./score-emotions.ts";

/** How long a reply waits for the emotion of its turn. */
const REPLY_WAITS_MS = 150;

export interface EmotionWatchOptions {
  readonly classifier: EmotionClassifier;
  readonly ring: SampleRing;
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly onFailure: (error: unknown) => void;
}

interface Found {
  readonly scores: EmotionScores;
  readonly analysisMs: number;
}

interface Inference {
  readonly span: AudioSpan;
  /** Undefined when it failed. */
  readonly found: Promise<Found | undefined>;
}

/** Classifies the caller's emotion when the settings ask for it. One inference runs at a time; a request during one is skipped. */
export class EmotionWatch {
  readonly #options: EmotionWatchOptions;
  readonly #policy: EmotionPolicy;
  #running: Promise<unknown> | undefined;
  /** For a turn that may end where the span ends. */
  #prepared: Inference | undefined;
  /** The inference of a turn waits for the one that is running. */
  #isWaiting = false;
  readonly #failures: FailureReporter;

  constructor(options: EmotionWatchOptions) {
    this.#options = options;
    this.#failures = new FailureReporter(options.onFailure);
    this.#policy = new EmotionPolicy(MODEL_HZ, options.classifier);
  }

  onFrame(endSample: number, speaking: boolean, settings: EmotionSettings): void {
    const span = this.#policy.due(endSample, speaking, settings);
    if (span !== undefined && this.#running === undefined) this.#options.tasks.own(this.#run(span, settings));
  }

  /** Starts the inference of a turn that may end at `endSample`, so that the reply need not wait for it. */
  prepareTurnEnd(startSample: number, endSample: number, settings: EmotionSettings): void {
    const span = this.#policy.turnEnd(startSample, endSample, settings);
    if (span === undefined || this.#running !== undefined || endSample === this.#prepared?.span.toSamples) return;
    this.#prepared = this.#infer(span);
    this.#options.tasks.own(this.#prepared.found);
  }

  /** Resolves when the emotion of the turn is reported, if the settings ask for it, or after 150 ms: a slow one comes late. */
  async onTurnEnd(startSample: number, endSample: number, settings: EmotionSettings): Promise<void> {
    const span = this.#policy.turnEnd(startSample, endSample, settings);
    if (span === undefined || this.#isWaiting) return;
    const { clock, signal, tasks } = this.#options;
    const classified = this.#runNext(span, settings);
    tasks.own(classified);
    await settledWithin(classified, REPLY_WAITS_MS, clock, signal);
  }

  async #runNext(span: AudioSpan, settings: EmotionSettings): Promise<void> {
    this.#isWaiting = true;
    await this.#running?.catch(() => undefined);
    this.#isWaiting = false;
    if (!this.#options.signal.aborted) await this.#run(span, settings);
  }

  async #run(span: AudioSpan, settings: EmotionSettings): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    const isSame = prepared?.span.fromSamples === span.fromSamples && prepared.span.toSamples === span.toSamples;
    await this.#report(isSame ? prepared : this.#infer(span), settings);
  }

  #infer(span: AudioSpan): Inference {
    const found = this.#classify(span).finally(() => (this.#running = undefined));
    this.#running = found;
    return { span, found };
  }

  async #classify({ fromSamples, toSamples }: AudioSpan): Promise<Found | undefined> {
    const { classifier, ring, signal } = this.#options;
    const startedMs = performance.now();
    try {
      const scores = await classifier.classify(ring.read(fromSamples, toSamples), signal);
      this.#failures.succeeded();
      return { scores, analysisMs: performance.now() - startedMs };
    } catch (error) {
      if (!signal.aborted) this.#failures.failed(error);
      return undefined;
    }
  }

  async #report(
    { span: { fromSamples, toSamples }, found: finding }: Inference,
    { tracked, confidenceThreshold }: EmotionSettings,
  ): Promise<void> {
    const { signal, emit } = this.#options;
    const found = await finding;
    if (found === undefined || signal.aborted) return;
    const { analysisMs } = found;
    const scores = scoreEmotions(found.scores, tracked);
    if ((scores[0]?.score ?? 0) < confidenceThreshold) return;
    emit({ type: "emotion", scores, tracked, analysisMs, audioMs: ((toSamples - fromSamples) * 1000) / MODEL_HZ });
  }
}

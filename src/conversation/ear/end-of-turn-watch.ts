import { MODEL_HZ } from "../../audio/format.ts";
import type { SampleRing } from "../../audio/ring-buffer.ts";
import type { EndOfTurnModel } from "../../engines/end-of-turn/end-of-turn-model.ts";
import type { Language } from "../../language/language.ts";
import { FailureReporter } from "../../shared/failure-reporter.ts";
import { PunctuationOdds } from "./punctuation-odds.ts";
import { toMs } from "../session-time.ts";

/** Sound before the first voiced frame that belongs to the turn. */
const LEAD_IN_SAMPLES = 0.3 * MODEL_HZ;

export interface EndOfTurnWatchOptions {
  /** Undefined when no model could be loaded. Silence alone then ends turns. */
  readonly model: EndOfTurnModel | undefined;
  readonly language: () => Language;
  readonly ring: SampleRing;
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** Queries the end-of-turn model about pauses. One query runs at a time; a query during one is skipped. */
export class EndOfTurnWatch {
  readonly #options: EndOfTurnWatchOptions;
  #asking: Promise<number | undefined> | undefined;
  /** The melody is judged once a pause. */
  #melody: { readonly pauseSample: number; readonly odds: Promise<number | undefined> } | undefined;
  readonly #punctuation = new PunctuationOdds();
  readonly #failures: FailureReporter;

  constructor(options: EndOfTurnWatchOptions) {
    this.#options = options;
    this.#failures = new FailureReporter(options.onFailure);
  }

  /** Probability that the turn is over, from the audio until `untilSample`; undefined when it is not known. */
  judge(turnSample: number, pauseSample: number, untilSample: number): Promise<number | undefined> {
    if (this.#asking !== undefined) return Promise.resolve(undefined);
    this.#asking = this.#ask(turnSample, pauseSample, untilSample).finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  /** Log odds that the words of the turn so far add to the odds that it is over. */
  oddsByWords(text: string, confidence: number, isAnswer: boolean): number {
    if (!this.#options.language().hasSentenceEndOdds) return 0;
    const model = this.#model;
    return model === undefined ? 0 : model.oddsByWords(text, confidence, isAnswer) + this.#punctuation.of(text);
  }

  /** Undefined for a language that the model does not list. Sound and silence decide there. */
  get #model(): EndOfTurnModel | undefined {
    const { model, language } = this.#options;
    return model?.languages?.includes(language().code) === false ? undefined : model;
  }

  async #ask(turnSample: number, pauseSample: number, untilSample: number): Promise<number | undefined> {
    const { ring, signal } = this.#options;
    const model = this.#model;
    if (model === undefined) return undefined;
    try {
      const samples = ring.read(untilSample - model.windowSamples, untilSample);
      if (this.#melody?.pauseSample !== pauseSample) {
        const from = Math.max(turnSample - LEAD_IN_SAMPLES, untilSample - model.melodySamples);
        this.#melody = { pauseSample, odds: model.melodyOdds(ring.read(from, untilSample)) };
      }
      const silentMs = toMs(untilSample - pauseSample);
      const probability = await model.probabilityOver(samples, silentMs, await this.#melody.odds);
      this.#failures.succeeded();
      return signal.aborted ? undefined : probability;
    } catch (error) {
      // Silence alone decides until the model works again.
      if (!signal.aborted) this.#failures.failed(error);
      return undefined;
    }
  }
}

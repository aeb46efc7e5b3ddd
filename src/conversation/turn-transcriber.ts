import type { SampleRing } from "../audio/ring-buffer.ts";
import { AbortScope } from "../shared/abort-scope.ts";
import { errorCode } from "../shared/errors.ts";
import type { Serial } from "../shared/serial.ts";
import type { SpeechRecognizer, Transcript, Word } from "../stt/contract.ts";

const RATE_HZ = 16_000;
/** Audio before the first voiced sample that belongs to the first word. */
const LEAD_IN_SAMPLES = 0.3 * RATE_HZ;
/** Audio after the last voiced sample that belongs to the last word. */
const TAIL_SAMPLES = 0.15 * RATE_HZ;
/** New audio worth another partial. */
const PARTIAL_STEP_SAMPLES = 0.4 * RATE_HZ;
/** From here on a pause closes a segment, so that no decode sees more than the recogniser's window. */
const SEGMENT_SOFT_SAMPLES = 18 * RATE_HZ;
const SEGMENT_HARD_SAMPLES = 27 * RATE_HZ;

/** What a turn's audio says so far. Word times: seconds from the session's first sample. */
export interface Hypothesis {
  readonly text: string;
  readonly confidence: number;
  readonly words: readonly Word[];
  /** Text of the whole turn, earlier segments included. */
  readonly accumulated: string;
}

export interface TranscriberEvents {
  partial(hypothesis: Hypothesis): void;
  /** A long turn goes on after this segment, whose text is final. */
  segment(hypothesis: Hypothesis): void;
  /** A partial or a segment could not be decoded; said once a turn. The final's failure is `commit`'s own. */
  failed(error: unknown): void;
}

export interface TurnTranscriberOptions {
  readonly recognizer: SpeechRecognizer;
  /** The recogniser takes one request at a time, over all turns of the session. */
  readonly serial: Serial;
  readonly ring: SampleRing;
  readonly language: string;
  /** Position in the ring of the turn's first voiced sample. */
  readonly startSample: number;
  /** Audio before this position was another turn's. */
  readonly notBeforeSample: number;
  readonly signal: AbortSignal;
  readonly events: TranscriberEvents;
}

/**
 * Decodes one turn: partials while the user speaks, a final prepared at each pause, the final itself.
 * One request at a time; a final aborts the partial in its way.
 */
export class TurnTranscriber implements Disposable {
  readonly #options: TurnTranscriberOptions;
  readonly #scope: AbortScope;
  readonly #segments: string[] = [];
  #segmentStart: number;
  #decodedTo: number;
  #partial: AbortScope | undefined;
  #prepared:
    { readonly endSample: number; readonly scope: AbortScope; readonly result: Promise<Hypothesis> } | undefined;
  #closingSegment = false;
  #reported = false;

  constructor(options: TurnTranscriberOptions) {
    this.#options = options;
    this.#scope = new AbortScope(options.signal);
    this.#segmentStart = Math.max(options.startSample - LEAD_IN_SAMPLES, options.notBeforeSample, options.ring.start);
    this.#decodedTo = this.#segmentStart;
  }

  /** Called as audio comes in while the user talks: starts a partial when one is due and none runs. */
  advance(endSample: number): void {
    if (endSample - this.#segmentStart > SEGMENT_HARD_SAMPLES) this.#closeSegment(endSample);
    if (this.#partial !== undefined || this.#prepared !== undefined || this.#closingSegment) return;
    if (endSample - this.#decodedTo < PARTIAL_STEP_SAMPLES) return;
    this.#decodedTo = endSample;
    const scope = new AbortScope(this.#scope.signal);
    this.#partial = scope;
    this.#decode("partial", this.#segmentStart, endSample, scope.signal)
      .then((hypothesis) => {
        if (!scope.signal.aborted && hypothesis.text !== "") this.#options.events.partial(hypothesis);
      })
      .catch((error: unknown) => {
        if (!scope.signal.aborted) this.#report(error);
      })
      .finally(() => {
        scope[Symbol.dispose]();
        this.#partial = undefined;
      });
  }

  /** Starts the final decode ahead of the turn's end. The result is kept for `commit` with the same end. */
  prepare(endSample: number): Promise<Hypothesis> {
    this.drop();
    this.#partial?.abort();
    const scope = new AbortScope(this.#scope.signal);
    const result = this.#decode("final", this.#segmentStart, endSample + TAIL_SAMPLES, scope.signal).finally(() =>
      scope[Symbol.dispose](),
    );
    result.catch(() => undefined); // whoever asked gets the rejection from the promise itself
    this.#prepared = { endSample, scope, result };
    return result;
  }

  /** The user went on: the prepared final is void, unless it closes a segment of a long turn. */
  drop(): void {
    const prepared = this.#prepared;
    if (prepared === undefined) return;
    this.#prepared = undefined;
    if (prepared.endSample - this.#segmentStart > SEGMENT_SOFT_SAMPLES)
      this.#keepSegment(prepared.endSample, prepared.result);
    else prepared.scope.abort();
  }

  /**
   * The final transcript of the turn that ends at `endSample`. A prepared one that failed is tried once more,
   * for the recogniser may have been restarted meanwhile.
   */
  async commit(endSample: number): Promise<Hypothesis> {
    const prepared = this.#prepared?.endSample === endSample ? this.#prepared.result : undefined;
    try {
      return await (prepared ?? this.prepare(endSample));
    } catch (error) {
      if (prepared === undefined) throw error;
      return await this.prepare(endSample);
    } finally {
      this.#prepared = undefined;
    }
  }

  /** What is left of the turn when its last decode failed: the segments that were final before. */
  get segments(): string {
    return this.#segments.join(" ");
  }

  [Symbol.dispose](): void {
    this.#scope.abort();
    this.#scope[Symbol.dispose]();
  }

  #closeSegment(endSample: number): void {
    if (this.#closingSegment) return;
    this.#partial?.abort();
    this.#keepSegment(endSample, this.#decode("final", this.#segmentStart, endSample, this.#scope.signal));
  }

  #keepSegment(endSample: number, result: Promise<Hypothesis>): void {
    this.#closingSegment = true;
    this.#segmentStart = endSample;
    this.#decodedTo = endSample;
    result
      .then((hypothesis) => {
        if (hypothesis.text === "") return;
        this.#segments.push(hypothesis.text);
        this.#options.events.segment(hypothesis);
      })
      .catch((error: unknown) => {
        if (!this.#scope.signal.aborted) this.#report(error);
      })
      .finally(() => (this.#closingSegment = false));
  }

  async #decode(kind: "partial" | "final", from: number, to: number, signal: AbortSignal): Promise<Hypothesis> {
    const { language, recognizer, ring, serial } = this.#options;
    const transcript = await serial.run(async () => {
      signal.throwIfAborted();
      return recognizer.transcribe({ samples: ring.read(from, to), kind, language }, signal);
    });
    return this.#hypothesis(transcript, from);
  }

  #report(error: unknown): void {
    // A partial left out under load is no failure.
    if (this.#reported || errorCode(error) === "STT_BUSY") return;
    this.#reported = true;
    this.#options.events.failed(error);
  }

  #hypothesis({ text, confidence, words }: Transcript, from: number): Hypothesis {
    const offset = from / RATE_HZ;
    const shifted = words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
    return { text, confidence, words: shifted, accumulated: [...this.#segments, text].filter(Boolean).join(" ") };
  }
}

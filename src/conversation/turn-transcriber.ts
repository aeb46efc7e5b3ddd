import { AbortScope } from "../shared/abort-scope.ts";
import { errorCode, OakError, rethrowFault } from "../shared/errors.ts";
import type { Tasks } from "../shared/tasks.ts";
import type { Word } from "../stt/contract.ts";
import type { Decoding } from "./decoder.ts";
import { agree, NOTHING_AGREED, type Agreement, settle, withShownTimes, wordsTakenBack } from "./local-agreement.ts";
import { HEARING_HZ } from "./session-time.ts";

/** Audio before the first voiced sample that belongs to the first word. */
const LEAD_IN_SAMPLES = 0.3 * HEARING_HZ;
/** Audio after the last voiced sample that belongs to the last word. */
const TAIL_SAMPLES = 0.15 * HEARING_HZ;
/** New audio worth another partial. */
const PARTIAL_STEP_SAMPLES = 0.4 * HEARING_HZ;
/** Partials of a longer segment hear its end only: their cost stays level, and the recogniser need not cut the clip. */
const PARTIAL_WINDOW_SAMPLES = 12 * HEARING_HZ;
const PARTIAL_LEAD_SAMPLES = 0.1 * HEARING_HZ;
/** From here on a pause closes a segment, so that no decode sees more than the recogniser's window. */
const SEGMENT_SOFT_SAMPLES = 18 * HEARING_HZ;
const SEGMENT_HARD_SAMPLES = 27 * HEARING_HZ;

/** What a turn's audio says so far. Word times: seconds from the session's first sample. */
export interface Hypothesis {
  readonly text: string;
  readonly confidence: number;
  readonly words: readonly Word[];
  /** Text of the whole turn, earlier segments included. */
  readonly accumulated: string;
}

export interface TranscriberEvents {
  /** More words than the last one; those it had are unchanged. */
  partial(hypothesis: Hypothesis): void;
  /** A long turn goes on after this segment. Words that partials showed are as they showed them. */
  segment(hypothesis: Hypothesis): void;
  /** A partial or a segment could not be decoded; said once a turn. The final's failure is `commit`'s own. */
  failed(error: unknown): void;
}

export interface TurnTranscriberOptions extends Decoding {
  /** Position in the session of the turn's first voiced sample. */
  readonly startSample: number;
  /** Audio before this position was another turn's. */
  readonly notBeforeSample: number;
  /** Owns the decodes that nobody awaits. */
  readonly tasks: Tasks;
  readonly events: TranscriberEvents;
}

interface Prepared {
  readonly endSample: number;
  readonly scope: AbortScope;
  readonly result: Promise<Hypothesis>;
  failed: boolean;
}

/**
 * Decodes one turn: partials while the user speaks, a final prepared at each pause, the final itself.
 * One request at a time; a final aborts the partial in its way. What partials and segments show only grows
 * (`local-agreement.ts`); the final alone may correct it.
 */
export class TurnTranscriber implements Disposable {
  /** For the log: what the partials cost and how well they held. */
  readonly counts = { partialDecodes: 0, wordsShown: 0, wordsTakenBack: 0 };
  readonly #options: TurnTranscriberOptions;
  readonly #scope: AbortScope;
  /** Text of the closed segments as last decoded, and as shown. */
  readonly #segments: string[] = [];
  readonly #shownSegments: string[] = [];
  #agreement = NOTHING_AGREED;
  #segmentStart: number;
  #partialStart: number;
  #decodedTo: number;
  #partial: AbortScope | undefined;
  #prepared: Prepared | undefined;
  #closingSegment = false;
  #committing = false;
  #reported = false;

  constructor(options: TurnTranscriberOptions) {
    this.#options = options;
    this.#scope = new AbortScope(options.signal);
    this.#segmentStart = Math.max(options.startSample - LEAD_IN_SAMPLES, options.notBeforeSample);
    this.#partialStart = this.#segmentStart;
    this.#decodedTo = this.#segmentStart;
  }

  /** Called as audio comes in while the user talks: starts a partial when one is due and none runs. */
  advance(endSample: number): void {
    if (endSample - this.#segmentStart > SEGMENT_HARD_SAMPLES) this.#closeSegment(endSample);
    if (this.#partial !== undefined || this.#prepared !== undefined || this.#closingSegment) return;
    if (endSample - this.#decodedTo < PARTIAL_STEP_SAMPLES || !this.#options.partials.isFree) return;
    this.#decodedTo = endSample;
    this.#options.tasks.own(this.#decodePartial(endSample));
  }

  async #decodePartial(endSample: number): Promise<void> {
    const { decoder, partials } = this.#options;
    using scope = new AbortScope(this.#scope.signal);
    const ended = partials.begin();
    this.#partial = scope;
    this.counts.partialDecodes += 1;
    this.#partialStart = this.#startOfPartial(endSample);
    try {
      const { words } = await decoder.decode("partial", this.#partialStart, endSample, scope.signal);
      if (!scope.signal.aborted) this.#weigh(words, this.#partialStart);
    } catch (error) {
      // A recogniser that died costs nothing yet: the final waits for the next one.
      if (!scope.signal.aborted && errorCode(error) !== "ENGINE_CRASHED") this.#report(error);
    } finally {
      ended();
      this.#partial = undefined;
    }
  }

  /**
   * Starts the final decode ahead of the turn's end. The result is kept for `commit` with the same end; should the turn
   * not end there, it was one more decode for the partials to agree with.
   */
  prepare(endSample: number): Promise<Hypothesis> {
    return this.#prepare(endSample, TAIL_SAMPLES);
  }

  #prepare(endSample: number, tailSamples: number): Promise<Hypothesis> {
    this.drop();
    this.#partial?.abort();
    const scope = new AbortScope(this.#scope.signal);
    const result = this.#final(endSample + tailSamples, scope.signal, () => {
      return this.#prepared?.scope === scope && !this.#committing;
    }).finally(() => scope[Symbol.dispose]());
    const prepared = { endSample, scope, result, failed: false };
    result.catch(() => (prepared.failed = true)); // whoever asked gets the rejection from the promise itself
    this.#prepared = prepared;
    return result;
  }

  /** The user went on, at `atSample`: the prepared final is void, unless it closes a segment of a long turn. */
  drop(atSample = 0): void {
    const prepared = this.#prepared;
    if (prepared === undefined) return;
    this.#prepared = undefined;
    const lasted = Math.max(atSample, prepared.endSample) - this.#segmentStart;
    // One that failed closes nothing: the next decode hears its audio again.
    if (!prepared.failed && lasted > SEGMENT_SOFT_SAMPLES) this.#keepSegment(prepared.endSample, prepared.result);
    else prepared.scope.abort();
  }

  /**
   * The final transcript of the turn that ends at `endSample`. A prepared one that failed is tried once more. A turn that
   * ends without one was cut in mid-voice: what comes next is the next turn's.
   */
  async commit(endSample: number): Promise<Hypothesis> {
    this.#committing = true;
    const prepared = this.#prepared?.endSample === endSample ? this.#prepared.result : undefined;
    const final = await this.#withRetry(endSample, prepared);
    this.#count(this.#agreement.published, final.words);
    return final;
  }

  /** What is left of the turn when its last decode failed: the segments that were final before. */
  get segments(): string {
    return this.#segments.join(" ");
  }

  /** Ends all decodes; `commit` rejects with `reason`. */
  giveUp(reason: OakError): void {
    this.#scope.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#scope.abort();
    this.#scope[Symbol.dispose]();
  }

  async #withRetry(endSample: number, prepared: Promise<Hypothesis> | undefined): Promise<Hypothesis> {
    try {
      return await (prepared ?? this.#prepare(endSample, 0));
    } catch (error) {
      rethrowFault(error);
      if (prepared === undefined || this.#scope.signal.aborted || wasRetried(error)) throw error;
      return await this.prepare(endSample);
    } finally {
      this.#prepared = undefined;
    }
  }

  /** The segment's start, until that is too long ago; then the longest pause between words that were shown. */
  #startOfPartial(endSample: number): number {
    if (endSample - this.#partialStart <= PARTIAL_WINDOW_SAMPLES) return this.#partialStart;
    const { published } = this.#agreement;
    const earliest = (endSample - PARTIAL_WINDOW_SAMPLES * 0.75) / HEARING_HZ;
    let longest = -1;
    let startSeconds = this.#partialStart / HEARING_HZ;
    for (const [index, { start }] of published.entries()) {
      const pause = start - (published[index - 1]?.end ?? start);
      if (start < earliest || pause <= longest) continue;
      longest = pause;
      startSeconds = start;
    }
    return Math.max(this.#partialStart, Math.round(startSeconds * HEARING_HZ) - PARTIAL_LEAD_SAMPLES);
  }

  /** Takes a decode of the segment, from `fromSample` on, into the agreement, and shows what that adds. */
  #weigh(decoded: readonly Word[], fromSample: number): void {
    const before = this.#agreement.published.length;
    this.#agreement = agree(this.#agreement, decoded, fromSample / HEARING_HZ);
    const { published } = this.#agreement;
    if (published.length > before) this.#options.events.partial(this.#shown(published));
  }

  #closeSegment(endSample: number): void {
    if (this.#closingSegment) return;
    this.#partial?.abort();
    this.#keepSegment(
      endSample,
      this.#final(endSample, this.#scope.signal, () => false),
    );
  }

  #keepSegment(endSample: number, result: Promise<Hypothesis>): void {
    const agreement = this.#agreement;
    this.#closingSegment = true;
    this.#segmentStart = endSample;
    this.#partialStart = endSample;
    this.#decodedTo = endSample;
    this.#agreement = NOTHING_AGREED;
    this.#options.tasks.own(this.#addSegment(agreement, result));
  }

  async #addSegment(agreement: Agreement, result: Promise<Hypothesis>): Promise<void> {
    try {
      const { text, words } = await result.catch((error: unknown) => {
        if (!this.#scope.signal.aborted) this.#report(error);
        return this.#shown(agreement.published); // better than a hole in the turn
      });
      const shown = this.#shown(settle(agreement, words));
      if (this.#scope.signal.aborted || shown.text === "") return;
      this.#count(agreement.published, words);
      if (text !== "") this.#segments.push(text);
      this.#shownSegments.push(shown.text);
      this.#options.events.segment(shown);
    } finally {
      this.#closingSegment = false;
    }
  }

  /** `weighs`: whether the decode, once it is there, counts for the partials. */
  async #final(to: number, signal: AbortSignal, weighs: () => boolean): Promise<Hypothesis> {
    const before = this.#agreement;
    const from = this.#segmentStart;
    const { confidence, words, fromSample, ...decoded } = await this.#options.decoder.decode("final", from, to, signal);
    const isWeighed = weighs();
    if (isWeighed) this.#weigh(words, fromSample);
    const { published } = isWeighed ? this.#agreement : before;
    const isCut = fromSample > from;
    if (isCut) this.#report(new OakError("The beginning of this speech is no longer held.", { code: "AUDIO_LOST" }));
    // Words that partials showed from the lost beginning are kept.
    const kept = isCut ? published.filter(({ end }) => end * HEARING_HZ <= fromSample) : [];
    const text = [...kept.map(({ word }) => word), decoded.text].filter(Boolean).join(" ");
    return {
      text,
      confidence,
      words: [...kept, ...withShownTimes(published, words)],
      accumulated: [...this.#segments, text].filter(Boolean).join(" "),
    };
  }

  #shown(words: readonly Word[]): Hypothesis {
    const text = words.map(({ word }) => word).join(" ");
    const confidence = words.reduce((sum, word) => sum + word.confidence, 0) / Math.max(1, words.length);
    return { text, confidence, words, accumulated: [...this.#shownSegments, text].filter(Boolean).join(" ") };
  }

  #count(published: readonly Word[], final: readonly Word[]): void {
    this.counts.wordsShown += published.length;
    this.counts.wordsTakenBack += wordsTakenBack(published, final);
  }

  #report(error: unknown): void {
    rethrowFault(error);
    // A partial left out under load is no failure.
    if (this.#reported || errorCode(error) === "STT_BUSY") return;
    this.#reported = true;
    this.#options.events.failed(error);
  }
}

/** The decoder asked twice, or waited for the whole deadline. */
const wasRetried = (error: unknown): boolean => ["ENGINE_CRASHED", "ENGINE_TIMEOUT"].includes(errorCode(error));

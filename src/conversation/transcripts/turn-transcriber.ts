import { MODEL_HZ } from "../../audio/format.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import type { SampleRing } from "../../audio/ring-buffer.ts";
import { errorCode, OakError, rethrowFault } from "../../shared/errors.ts";
import type { Language } from "../../language/language.ts";
import type { Tasks } from "../../shared/tasks.ts";
import type { Decoded, Decoder, Decoding } from "./decoder.ts";
import { toMs } from "../session-time.ts";
import { PartialGrid } from "./partial-grid.ts";
import { CUT_AFTER_SAMPLES, findCut, quietPlace, type SpeechCut } from "./speech-cut.ts";
import type { Word } from "../../engines/stt/speech-to-text.ts";
import { TurnWords, type Window, type WindowDecode } from "./turn-words.ts";
import { type Hypothesis } from "../hypothesis.ts";

/** Audio after the last voiced sample that belongs to the last word. It has arrived when the final is prepared (`prepareMs`). */
const TAIL_SAMPLES = 0.09 * MODEL_HZ;
/** A turn that is cut in mid-voice ends at the quietest place of its last samples. */
const QUIET_PLACE_SAMPLES = 0.3 * MODEL_HZ;
/** New audio before the next search for a cut. */
const CUT_STEP_SAMPLES = 0.4 * MODEL_HZ;
/** New audio before a partial that the recogniser refused is tried again. */
const RETRY_SAMPLES = 0.1 * MODEL_HZ;
/** A cut closes a segment of at least this length. */
const SEGMENT_SAMPLES = 16 * MODEL_HZ;

export interface TranscriberEvents {
  /** Has more words than the last one, whose words are unchanged. */
  partial(hypothesis: Hypothesis): void;
  /** A long turn continues after this segment. Words of partials are unchanged. */
  segment(hypothesis: Hypothesis): void;
  /** A partial or a closed window could not be decoded. Called once a turn. `commit` rejects when the final fails. */
  failed(error: unknown): void;
}

export interface TurnTranscriberOptions extends Decoding {
  /** The caller's. */
  readonly language: () => Language;
  /** Decodes closed windows, beside `decoder`, so that a final does not wait for them. */
  readonly background: Decoder;
  readonly ring: SampleRing;
  /** True while the language is not known well enough. Default: never. */
  readonly delaysPartials?: (spokenMs: number) => boolean;
  /** Position in the session of the turn's first voiced sample. */
  readonly startSample: number;
  /** Audio before the first voiced sample that belongs to the first word. */
  readonly leadInSamples: number;
  /** Audio before this position belongs to an earlier turn. */
  readonly notBeforeSample: number;
  /** Owns the decodes that no caller awaits. */
  readonly tasks: Tasks;
  readonly events: TranscriberEvents;
}

/** The text of the whole turn with the words that a recogniser knows early, and their confidence. */
export type EarlyText = (text: string, confidence: number) => void;

interface RunningPartial {
  /** The end of its clip. */
  readonly to: number;
  readonly scope: AbortScope;
  readonly done: Promise<void>;
}

interface Prepared {
  readonly endSample: number;
  readonly scope: AbortScope;
  readonly result: Promise<Hypothesis>;
}

/**
 * Decodes one turn: partials while the caller speaks, a final prepared at each pause, and the final. A long turn is divided at its
 * pauses into windows of a few seconds (`speech-cut.ts`). A closed window is decoded once more, which settles its words
 * (`turn-words.ts`), and later decodes begin after it. Positions and the final text
 * depend on the audio alone.
 */
export class TurnTranscriber implements Disposable {
  /** For the log: number of partials, and how many of their words changed. */
  readonly counts = { partialDecodes: 0, wordsShown: 0, wordsTakenBack: 0 };
  readonly #options: TurnTranscriberOptions;
  readonly #scope: AbortScope;
  readonly #words: TurnWords;
  readonly #grid: PartialGrid;
  #window: Window;
  #segmentStart: number;
  #nextCutSample: number;
  #nextPartial = 0;
  /** The running partial of the open window. */
  #partial: RunningPartial | undefined;
  #prepared: Prepared | undefined;
  /** Settles when the words of all closed windows are settled. */
  #settling: Promise<void> = Promise.resolve();
  #unsettled = 0;
  #isCommitted = false;
  #reported = false;

  constructor(options: TurnTranscriberOptions) {
    this.#options = options;
    this.#scope = new AbortScope(options.signal);
    const from = Math.max(options.startSample - options.leadInSamples, options.notBeforeSample);
    this.#window = { from, knownFrom: 0 };
    this.#segmentStart = from;
    this.#nextCutSample = from + CUT_AFTER_SAMPLES;
    this.#grid = new PartialGrid(options.startSample);
    this.#words = new TurnWords(() => options.language().spelled);
  }

  /** Call as audio arrives while the caller talks. Closes the window and starts a partial when that is due. */
  advance(endSample: number): void {
    this.#divide(endSample);
    if (this.#partial !== undefined || this.#unsettled > 0 || !this.#options.partials.isFree) return;
    if (endSample < this.#nextPartial) return;
    if (this.#options.delaysPartials?.(toMs(endSample - this.#options.startSample)) === true) return;
    const to = this.#grid.next(this.#window.from, endSample);
    if (to !== undefined) this.#startPartial(to);
  }

  #divide(endSample: number): void {
    const { ring } = this.#options;
    if (endSample < this.#nextCutSample) return;
    while (endSample - this.#window.from > CUT_AFTER_SAMPLES) {
      const from = Math.max(this.#window.from, ring.start);
      const cut = findCut(ring.read(from, endSample));
      if (cut === undefined) break;
      this.#closeWindow(cut, from, endSample);
    }
    this.#nextCutSample = Math.max(endSample + CUT_STEP_SAMPLES, this.#window.from + CUT_AFTER_SAMPLES);
  }

  #closeWindow(cut: SpeechCut, from: number, endSample: number): void {
    const { background, tasks } = this.#options;
    const closed = this.#window;
    const boundary = from + cut.boundary;
    this.#partial?.scope.abort();
    this.#partial = undefined;
    this.#window = { from: from + cut.rightStart, knownFrom: from + cut.knownFrom };
    this.#grid.skipTo(endSample);
    this.#unsettled += 1;
    const decoding = background.decode("final", closed.from, from + cut.leftEnd, this.#scope.signal);
    const decoded = decoding.catch((error: unknown) => {
      if (!this.#scope.signal.aborted) this.#report(error);
      return { words: undefined, isDoubtful: false, fromSample: closed.from }; // The words of its partials replace the missing decode.
    });
    const before = this.#settling;
    this.#settling = decoded.then(async (decode) => {
      await before;
      this.#unsettled -= 1;
      this.#reportLoss(closed, decode.fromSample);
      if (!this.#scope.signal.aborted) this.#settle({ ...decode, window: closed }, boundary);
    });
    tasks.own(this.#settling);
  }

  #settle(decode: WindowDecode, boundary: number): void {
    const { events } = this.#options;
    const showsMore = this.#words.settle(decode, boundary);
    const isSegment = boundary - this.#segmentStart >= SEGMENT_SAMPLES;
    if (isSegment) {
      this.#segmentStart = boundary;
      const segment = this.#words.closeSegment();
      if (segment.text !== "") events.segment(segment);
    } else if (showsMore && !this.#isCommitted) events.partial(this.#words.shown);
  }

  #startPartial(to: number): void {
    const scope = new AbortScope(this.#scope.signal);
    this.#grid.begin(to);
    this.counts.partialDecodes += 1;
    const partial = { to, scope, done: this.#decodePartial(to, this.#window, scope.signal) };
    this.#partial = partial;
    const ended = partial.done.finally(() => {
      scope[Symbol.dispose]();
      if (this.#partial === partial) this.#partial = undefined;
    });
    this.#options.tasks.own(ended);
  }

  async #decodePartial(to: number, window: Window, signal: AbortSignal): Promise<void> {
    const { decoder, partials, events } = this.#options;
    const ended = partials.begin();
    try {
      const { words, isDoubtful = false } = await decoder.decode("partial", window.from, to, signal);
      if (!signal.aborted && !isDoubtful && this.#words.takePartial(window, to, words))
        events.partial(this.#words.shown);
    } catch (error) {
      if (errorCode(error) === "STT_BUSY" && window === this.#window) this.#refuse(to);
      // A crash of the recogniser is not reported here: the final waits for the restart.
      if (!signal.aborted && errorCode(error) !== "ENGINE_CRASHED") this.#report(error);
    } finally {
      ended();
    }
  }

  /** A refused partial is due again. */
  #refuse(to: number): void {
    this.#grid.refuse(to);
    this.#nextPartial = this.#options.ring.end + RETRY_SAMPLES;
  }

  /** Starts the final decode before the turn's end. `commit` with the same end uses its result. */
  prepare(endSample: number, early?: EarlyText): Promise<Hypothesis> {
    return this.#prepare(endSample, TAIL_SAMPLES, early);
  }

  #prepare(endSample: number, tailSamples: number, early?: EarlyText): Promise<Hypothesis> {
    this.drop();
    this.#partial?.scope.abort();
    const scope = new AbortScope(this.#scope.signal);
    const result = this.#final(endSample + tailSamples, scope.signal, early).finally(() => scope[Symbol.dispose]());
    result.catch(() => undefined); // The returned promise reports the rejection.
    this.#prepared = { endSample, scope, result };
    return result;
  }

  /** The caller continued: drops the prepared final. */
  drop(): void {
    this.#prepared?.scope.abort();
    this.#prepared = undefined;
  }

  /** End of the audio of a turn that ends at `endSample`. A turn without a prepared final is cut in mid-voice, at a quiet place. */
  audioEnd(endSample: number): number {
    if (this.#prepared?.endSample === endSample) return endSample;
    const from = endSample - QUIET_PLACE_SAMPLES;
    return from + quietPlace(this.#options.ring.read(from, endSample));
  }

  /**
   * The final transcript of the turn whose audio ends at `endSample`. A failed prepared final is decoded once more. Audio after a
   * turn without a prepared final belongs to the next turn.
   */
  async commit(endSample: number): Promise<Hypothesis> {
    this.#isCommitted = true;
    const prepared = this.#prepared?.endSample === endSample ? this.#prepared.result : undefined;
    const final = await this.#withRetry(endSample, prepared);
    Object.assign(this.counts, this.#words.counts);
    return final;
  }

  /** The caller speaks another language than the one of the partials so far. */
  restart(): void {
    this.#partial?.scope.abort();
    this.#words.forgetShown(this.#window);
  }

  /** The text of the turn when its last decode failed. */
  get settledText(): string {
    return this.#words.settledText;
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

  async #final(to: number, signal: AbortSignal, early?: EarlyText): Promise<Hypothesis> {
    const window = this.#window;
    const onEarly = ({ isDoubtful, words, fromSample, confidence }: Decoded) => {
      // Without the words of a closed window the text would lack its middle.
      if (isDoubtful === true || this.#unsettled > 0) return;
      early?.(this.#words.textWith({ window, fromSample, words }), confidence);
      this.#showPause(window, words);
    };
    const decode = await this.#options.decoder.decode("final", window.from, to, signal, { early: onEarly });
    const { words, isDoubtful, fromSample, confidence } = decode;
    await this.#settling;
    signal.throwIfAborted();
    this.#reportLoss(window, fromSample);
    if (isDoubtful !== true) this.#showPause(window, words);
    return this.#words.final({ window, fromSample, words, isDoubtful }, confidence);
  }

  /** Shows the words of a prepared final while it is not known whether the turn ends here. */
  #showPause(window: Window, words: readonly Word[]): void {
    const { ring, startSample, delaysPartials, events } = this.#options;
    if (this.#isCommitted || delaysPartials?.(toMs(ring.end - startSample)) === true) return;
    if (this.#words.takePause(window, words)) events.partial(this.#words.shown);
  }

  #reportLoss({ from }: Window, fromSample: number): void {
    if (fromSample > from)
      this.#report(
        new OakError("The beginning of the turn's audio was overwritten before its decode.", { code: "AUDIO_LOST" }),
      );
  }

  #report(error: unknown): void {
    rethrowFault(error);
    // A partial that was skipped under load is not a failure.
    if (this.#reported || errorCode(error) === "STT_BUSY") return;
    this.#reported = true;
    this.#options.events.failed(error);
  }
}

/** The decoder tried twice, or waited for the whole deadline. */
const wasRetried = (error: unknown): boolean => ["ENGINE_CRASHED", "ENGINE_TIMEOUT"].includes(errorCode(error));

import type { Clock } from "../../../shared/clock.ts";
import type { Hurry } from "../text/clause-splitter.ts";
import type { Pace, SpeechPace } from "./speech-pace.ts";
import { stallsMs, type AwaitedClause } from "./speech-plan.ts";

/** Expected lengths of clauses that are not written yet. */
const SENTENCE_CHARS = 60;
const SHORT_CLAUSE_CHARS = 30;
/** A clause that is longer than expected continues for this long. */
const REST_CHARS = 10;
/** The caller waits no longer than this for the first clause, from the first piece of text on, before the clause is made shorter. */
const FIRST_CLAUSE_MS = 1000;
/** A pause between sentences that sounds better than a sentence in parts. */
const LONG_STALL_MS = 400;

/** Follows one reply from text to speech. Decides where to cut the text, and how long ready speech waits for the next clause. */
export class ReplyPacing {
  readonly #clock: Clock;
  readonly #measured: SpeechPace;
  /** Characters of the clauses that are cut and not synthesised yet, in order. */
  readonly #pending: number[] = [];
  /** Characters written since the last cut. */
  #uncut = 0;
  #isFirst = true;
  #isWritten = false;
  #beganMs: number | undefined;
  #lastPieceMs = 0;
  #synthesizesSinceMs: number | undefined;

  constructor(clock: Clock, measured: SpeechPace) {
    this.#clock = clock;
    this.#measured = measured;
  }

  /** A piece of text has come from the language model. */
  wrote(chars: number): void {
    const nowMs = this.#clock.nowMs();
    if (this.#beganMs !== undefined) this.#measured.writing.add(nowMs - this.#lastPieceMs, chars);
    this.#beganMs ??= nowMs;
    this.#lastPieceMs = nowMs;
    this.#uncut += chars;
  }

  /** No more text will come. */
  ended(): void {
    this.#isWritten = true;
  }

  cut(chars: number): void {
    this.#isFirst = false;
    this.#uncut = Math.max(0, this.#uncut - chars);
    this.#pending.push(chars);
  }

  synthesizes(): void {
    this.#synthesizesSinceMs = this.#clock.nowMs();
  }

  /** The first pending clause became `speechMs` of speech; 0 when it has nothing to say. */
  synthesized(speechMs: number): void {
    const chars = this.#pending.shift() ?? 0;
    if (speechMs > 0 && this.#synthesizesSinceMs !== undefined) {
      this.#measured.synthesis.add(this.#clock.nowMs() - this.#synthesizesSinceMs, chars);
      this.#measured.speech.add(speechMs, chars);
    }
    this.#synthesizesSinceMs = undefined;
  }

  /** Whether the next clause must be shorter than a sentence. `readyMs`: speech that is ready and not played. */
  hurry(readyMs: number): Hurry {
    const pace = this.#measured.current;
    if (pace === undefined) return "none";
    const expected = this.#isFirst ? SHORT_CLAUSE_CHARS : SENTENCE_CHARS;
    const nowMs = this.#clock.nowMs();
    const sparedMs = this.#isFirst ? FIRST_CLAUSE_MS - nowMs + (this.#beganMs ?? nowMs) : readyMs;
    const stallMs = this.#stallsMs(sparedMs, expected, pace).at(-1) ?? 0;
    return stallMs === 0 ? "none" : stallMs < LONG_STALL_MS ? "clauses" : "words";
  }

  /** How long `readyMs` of speech must wait, so that the next clause is ready when it ends. */
  waitMs(readyMs: number): number {
    const pace = this.#measured.current;
    if (pace === undefined) return 0;
    const expected = this.hurry(readyMs) === "words" ? SHORT_CLAUSE_CHARS : SENTENCE_CHARS;
    const stalls = this.#stallsMs(readyMs, expected, pace);
    return stalls.reduce((sum, ms) => sum + ms, 0);
  }

  #stallsMs(readyMs: number, expectedChars: number, pace: Pace): number[] {
    const awaited: AwaitedClause[] = this.#pending.map((chars) => ({ chars, unwrittenChars: 0 }));
    if (!this.#isWritten) {
      const chars = Math.max(expectedChars, this.#uncut + REST_CHARS);
      awaited.push({ chars, unwrittenChars: chars - this.#uncut });
    }
    const since = this.#synthesizesSinceMs;
    return stallsMs(readyMs, awaited, pace, since === undefined ? 0 : this.#clock.nowMs() - since);
  }
}

import { MODEL_HZ } from "../../audio/format.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { rethrowFault } from "../../shared/errors.ts";
import type { OverlapDecode, OverlapSpan } from "../turn/barge-in.ts";
import { judgeOverlap, SURE_ORDER, type OverlapKind } from "../turn/judge-overlap.ts";
import type { Decoding } from "./decoder.ts";
import { toSamples } from "../session-time.ts";
import type { Hypothesis } from "./turn-words.ts";

/** Audio around the voiced part that belongs to its words. */
const LEAD_IN_SAMPLES = 0.2 * MODEL_HZ;
const TAIL_SAMPLES = 0.1 * MODEL_HZ;
/** Of a sound that goes on for longer, its end. */
const WINDOW_SAMPLES = 6 * MODEL_HZ;

/** The reply that the sound is heard over. */
export interface OverlappedReply {
  /** Its text, or nothing. */
  readonly speech: string;
  /** True at the end of a question, and after it. */
  readonly awaitsAnswer: boolean;
}

export interface OverlapListenerOptions extends Decoding {
  /** Whether the microphone may pick up the reply, or is known to, or is known not to. */
  readonly echo: { readonly suspectsEcho: boolean; readonly hearsEcho: boolean; readonly rulesOutEcho: boolean };
}

/** Of a whole sound nothing but an order is understood when the recogniser is less sure (0-1) of each word: back-channels come out like this. */
const UNSURE = 0.45;

/** Decodes what is said over the reply, before it is known whether it is a turn, and sorts it by what it was said over. */
export class OverlapListener {
  readonly #options: OverlapListenerOptions;
  #scope: AbortScope | undefined;
  #startMs: number | undefined;
  #awaitsSinceMs = Infinity;
  #last: Hypothesis | undefined;

  constructor(options: OverlapListenerOptions) {
    this.#options = options;
  }

  /** Called with each frame of the sound: what it says counts by when it was said, however late it is understood. */
  follow(atMs: number, reply: OverlappedReply): void {
    this.#awaitsSinceMs = reply.awaitsAnswer ? Math.min(this.#awaitsSinceMs, atMs) : Infinity;
  }

  /**
   * What was heard of the sound. "undecoded" when it was left out under load, the recogniser failed, or the budget for partials is
   * used up and the voice goes on; undefined when nobody asks any more.
   */
  async listen(
    startMs: number,
    { untilMs, ended }: OverlapSpan,
    reply: OverlappedReply,
  ): Promise<OverlapDecode | undefined> {
    const { partials, signal, echo } = this.#options;
    if (startMs !== this.#startMs) this.stop();
    this.#startMs = startMs;
    const decode = (heard: OverlapKind): OverlapDecode => ({ startMs, untilMs, ended, heard });
    if (!ended && !partials.isFree) return decode("undecoded");
    this.#scope?.abort();
    using scope = new AbortScope(signal);
    this.#scope = scope;
    const decoded = partials.begin();
    // What is suspected later is no evidence: a word that ends as the held reply does looks like its echo for a moment.
    const suspected = echo.suspectsEcho;
    try {
      this.#last = await this.#decode(toSamples(startMs), toSamples(untilMs), ended, scope.signal);
      return decode(this.#sort(this.#last, untilMs, ended, suspected || echo.hearsEcho, reply));
    } catch (error) {
      rethrowFault(error);
      return scope.signal.aborted ? undefined : decode("undecoded");
    } finally {
      decoded();
    }
  }

  /** The words of the sound that was just let go, or of none; forgets them. */
  stop(): Hypothesis | undefined {
    this.#scope?.abort();
    const last = this.#last;
    this.#last = undefined;
    this.#startMs = undefined;
    return last?.text === "" ? undefined : last;
  }

  async #decode(startSample: number, untilSample: number, ended: boolean, signal: AbortSignal): Promise<Hypothesis> {
    const from = Math.max(startSample - LEAD_IN_SAMPLES, untilSample - WINDOW_SAMPLES);
    const to = untilSample + (ended ? TAIL_SAMPLES : 0);
    const transcript = await this.#options.decoder.decode(ended ? "final" : "partial", from, to, signal);
    return { ...transcript, accumulated: transcript.text };
  }

  #sort(
    { text, words }: Hypothesis,
    untilMs: number,
    ended: boolean,
    echo: boolean,
    reply: OverlappedReply,
  ): OverlapKind {
    const { echo: microphone } = this.#options;
    const isCaller = microphone.rulesOutEcho && !echo;
    // Of a voice that may be the reply's own no newest word is believed but an order.
    const sureOfNewest = Math.min(words.at(-1)?.confidence ?? 0, isCaller ? 1 : SURE_ORDER);
    const heard = judgeOverlap(text, { ended, sureOfNewest, ownSpeech: isCaller ? "" : reply.speech });
    const isUnsure = words.length > 0 && words.every(({ confidence }) => confidence < UNSURE);
    if (ended && isUnsure && heard !== "command") return "unclear";
    if (heard === "backchannel" && untilMs >= this.#awaitsSinceMs) return "word";
    if (heard === "word" && isCaller) return "words";
    // A single word, or the half of one, may be the echo, misheard.
    return echo && (heard === "word" || (heard === "command" && !ended)) ? "unclear" : heard;
  }
}

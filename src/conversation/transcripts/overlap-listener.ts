import { MODEL_HZ } from "../../audio/format.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import type { Language } from "../../language/language.ts";
import { rethrowFault } from "../../shared/errors.ts";
import type { OverlapDecode, OverlapSpan } from "../turn/evidence/barge-in.ts";
import { judgeOverlap, SURE_ORDER, type OverlapKind } from "../turn/evidence/judge-overlap.ts";
import type { Decoder } from "./decoder.ts";
import { toSamples } from "../session-time.ts";
import type { Hypothesis } from "../hypothesis.ts";

/** Audio around the voiced part that belongs to its words. */
const LEAD_IN_SAMPLES = 0.2 * MODEL_HZ;
const TAIL_SAMPLES = 0.1 * MODEL_HZ;
/** Only the end of a longer sound is decoded. */
const WINDOW_SAMPLES = 6 * MODEL_HZ;

/** The reply that the sound is heard over. */
export interface OverlappedReply {
  /** Its text, or nothing. */
  readonly speech: string;
  /** True at the end of a question, and after it. */
  readonly awaitsAnswer: boolean;
}

export interface OverlapListenerOptions {
  readonly decoder: Decoder;
  readonly signal: AbortSignal;
  readonly language: () => Language;
  /** Whether the microphone may pick up the reply, does, or does not. */
  readonly echo: { readonly suspectsEcho: boolean; readonly hearsEcho: boolean; readonly rulesOutEcho: boolean };
}

/** A sound over the reply that is over, with words. They are doubtful when every one scores low: a piece of an echo is written as "Okay." */
export interface EndedSound {
  readonly transcript: Hypothesis;
  /** The words may be content, and they are not the reply's echo. */
  readonly mayBeContent: boolean;
}

/** Without lists of a language, any words may be content. */
const CONTENT: ReadonlySet<OverlapKind> = new Set(["word", "words", "undecoded"]);
/** When every word of a finished sound scores below this confidence, only commands are trusted. Back-channels often decode like this. */
const UNSURE = 0.45;

/** Decodes speech over the reply, before it is known to be a turn, and classifies it with regard to the reply. */
export class OverlapListener {
  readonly #options: OverlapListenerOptions;
  #scope: AbortScope | undefined;
  #startMs: number | undefined;
  #awaitsSinceMs = Infinity;
  #last: Hypothesis | undefined;
  #mayBeContent = false;

  constructor(options: OverlapListenerOptions) {
    this.#options = options;
  }

  /** Call with each frame of the sound. A word counts by the time when it was spoken, not when it was decoded. */
  follow(atMs: number, reply: OverlappedReply): void {
    this.#awaitsSinceMs = reply.awaitsAnswer ? Math.min(this.#awaitsSinceMs, atMs) : Infinity;
  }

  /**
   * Decodes the sound and classifies it. "undecoded": the recogniser was busy or failed. Undefined: a newer request replaced this
   * one.
   */
  async listen(
    startMs: number,
    { untilMs, ended }: OverlapSpan,
    reply: OverlappedReply,
  ): Promise<OverlapDecode | undefined> {
    const { signal, echo } = this.#options;
    if (startMs !== this.#startMs) this.stop();
    this.#startMs = startMs;
    const decode = (heard: OverlapKind): OverlapDecode => ({ startMs, untilMs, ended, heard });
    this.#scope?.abort();
    using scope = new AbortScope(signal);
    this.#scope = scope;
    // A later suspicion is not evidence: a word that ends together with the held reply resembles its echo for a moment.
    const suspected = echo.suspectsEcho;
    try {
      this.#last = await this.#decode(toSamples(startMs), toSamples(untilMs), ended, scope.signal);
      return decode(this.#classify(this.#last, untilMs, ended, suspected || echo.hearsEcho, reply));
    } catch (error) {
      rethrowFault(error);
      return scope.signal.aborted ? undefined : decode("undecoded");
    }
  }

  /** Forgets the sound. Returns it if it had words. */
  stop(): EndedSound | undefined {
    this.#scope?.abort();
    const [transcript, mayBeContent] = [this.#last, this.#mayBeContent];
    this.#last = undefined;
    this.#mayBeContent = false;
    this.#startMs = undefined;
    if (transcript === undefined || transcript.text === "") return undefined;
    const isDoubtful = transcript.isDoubtful === true || isUnsure(transcript);
    return { transcript: { ...transcript, isDoubtful }, mayBeContent };
  }

  async #decode(startSample: number, untilSample: number, ended: boolean, signal: AbortSignal): Promise<Hypothesis> {
    const from = Math.max(startSample - LEAD_IN_SAMPLES, untilSample - WINDOW_SAMPLES);
    const to = untilSample + (ended ? TAIL_SAMPLES : 0);
    const transcript = await this.#options.decoder.decode(ended ? "final" : "partial", from, to, signal, {
      isUrgent: true,
    });
    return { ...transcript, accumulated: transcript.text };
  }

  #classify(
    transcript: Hypothesis,
    untilMs: number,
    ended: boolean,
    echo: boolean,
    reply: OverlappedReply,
  ): OverlapKind {
    const { text, words, isDoubtful } = transcript;
    const { echo: microphone } = this.#options;
    const isCaller = microphone.rulesOutEcho && !echo;
    // When the voice may be the reply's echo, its newest word counts only as a command.
    const sureOfNewest = Math.min(words.at(-1)?.confidence ?? 0, isCaller ? 1 : SURE_ORDER);
    const heard = judgeOverlap(
      text,
      { ended, sureOfNewest, ownSpeech: isCaller ? "" : reply.speech },
      this.#options.language().overlap,
    );
    const isUnclear = isDoubtful === true || (ended && isUnsure(transcript));
    this.#mayBeContent = isDoubtful !== true && !echo && CONTENT.has(heard);
    if (isUnclear && heard !== "command" && heard !== "backchannel") return "unclear";
    // A piece of an echo is easily written as a sign of listening.
    if (heard === "backchannel" && echo && words.every(({ confidence }) => confidence < SURE_ORDER)) return "nothing";
    if (heard === "backchannel" && untilMs >= this.#awaitsSinceMs) return "word";
    if (heard === "word" && isCaller) return "words";
    // A single word or half a word may be a misheard echo.
    return echo && (heard === "word" || (heard === "command" && !ended)) ? "unclear" : heard;
  }
}

const isUnsure = ({ words }: Hypothesis): boolean =>
  words.length > 0 && words.every(({ confidence }) => confidence < UNSURE);

import type { ChatMessage, LanguageSession, ToolCall } from "../../engines/llm/language-model.ts";
import type { Clock } from "../../shared/clock.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { Channel } from "./speech/channel.ts";
import { errorCode, OakError, rethrowFault } from "../../shared/errors.ts";
import { ClauseSplitter, wholeSentences, type Clause } from "./text/clause-splitter.ts";
import type { TextToSpeech } from "../../engines/tts/text-to-speech.ts";
import type { Language } from "../../language/language.ts";
import { writeReply, type WriteOptions } from "./text/write-reply.ts";
import { Player, type PlayerEvents } from "./speech/player.ts";
import type { SpokenReply } from "./text/history.ts";
import { ReplyPacing } from "./speech/reply-pacing.ts";
import { ReplyVoice } from "./speech/reply-voice.ts";
import type { AskedCall } from "../tool-calls/confirmation.ts";
import type { ReplyStyle } from "./text/reply-settings.ts";
import type { SpeechPace } from "./speech/speech-pace.ts";

/** Clauses the language model may be ahead of the voice. */
const CLAUSES_AHEAD = 64;

export interface ReplyEvents {
  /** Called after the text before it. */
  called(call: ToolCall): void;
  /** The reply asks whether the call is wanted. */
  asked?(asked: AskedCall): void;
  /** A piece of text; the one with `last` is empty. */
  text(text: string, last: boolean): void;
  /** Speech at `CALL_HZ`, which the client plays from `playsAtMs` of the clock on. */
  sent(pcm: Int16Array, playsAtMs: number): void;
  audible(): void;
  finished(): void;
  /** Called after all synthesised speech has been played. */
  failed(stage: "llm" | "tts", error: unknown): void;
}

export interface ReplyFailure {
  readonly stage: "llm" | "tts";
  readonly error: unknown;
}

export interface ReplyOptions {
  /** Prepared before the turn ended: text and first clause are made, but nothing is sent before `open`. */
  readonly speculative: boolean;
  /** No words are not a failure. */
  readonly mayBeEmpty?: boolean;
  /** A prompt for the language model, a fixed text, or a call that the caller has agreed to. */
  readonly source:
    { readonly messages: readonly ChatMessage[] } | { readonly text: string } | { readonly call: ToolCall };
  /** See `WriteOptions`. */
  readonly readBack?: WriteOptions["readBack"];
  readonly kept?: WriteOptions["kept"];
  readonly chat: LanguageSession;
  readonly language: Language;
  readonly speech: TextToSpeech;
  readonly style: ReplyStyle;
  readonly clock: Clock;
  readonly pace: SpeechPace;
  /** See `PlayerOptions`. */
  readonly jitterMs?: () => number;
  /** False while the client's buffer is full. */
  readonly hasRoom?: () => boolean;
  readonly signal: AbortSignal;
  readonly events: ReplyEvents;
}

/** One reply. Text streams from the language model to the client, and clause by clause through the voice to the player. */
export class Reply {
  readonly #options: ReplyOptions;
  readonly #player: Player;
  readonly #pacing: ReplyPacing;
  readonly #voice: ReplyVoice;
  #text = "";
  #isWritten = false;
  /** Some of its text was sent. */
  #isRead = false;
  /** True when all of it is written and synthesised. */
  #complete = false;
  #failure: ReplyFailure | undefined;
  #workMs = 0;
  /** Pieces of text from the language model; it makes one of nearly every token. */
  #pieceCount = 0;
  readonly #calls: ToolCall[] = [];
  /** The error of a call that did not fit into the longest length. */
  #cutCall: unknown;
  /** The model failed, and its text is a sentence of the language pack. */
  #isExcuse = false;
  #isOpen: boolean;
  /** Text that waits for `open`. */
  readonly #unsent: (() => void)[] = [];
  readonly #opened: Promise<void>;
  #open!: () => void;

  constructor(options: ReplyOptions) {
    const { clock, events } = options;
    this.#options = options;
    this.#pacing = new ReplyPacing(clock, options.pace);
    const playerEvents: PlayerEvents = {
      send: (pcm, playsAtMs) => events.sent(pcm, playsAtMs),
      audible: () => events.audible(),
      finished: () => {
        if (this.#failure === undefined) events.finished();
        else events.failed(this.#failure.stage, this.#failure.error);
      },
    };
    this.#player = new Player({
      clock,
      events: playerEvents,
      waitMs: (readyMs) => (this.#complete ? 0 : this.#pacing.waitMs(readyMs)),
      ...(options.jitterMs && { jitterMs: options.jitterMs }),
      hasRoom: options.hasRoom ?? (() => true),
    });
    this.#voice = new ReplyVoice(options, this.#player, this.#pacing);
    this.#isOpen = !options.speculative;
    this.#opened = new Promise((resolve) => (this.#open = resolve));
    if (this.#isOpen) this.#open();
    else this.#player.hold();
    options.signal.addEventListener("abort", () => this.#open(), { once: true });
  }

  /**
   * Resolves when everything is synthesised, failed or aborted; rejects only on a fault of the program.
   * @param written Called when the language model is free for another request.
   */
  async run(written: () => void = () => undefined): Promise<void> {
    const { signal } = this.#options;
    // Cancelled while it waited for the language model: no text means no end of the text.
    if (signal.aborted) return written();
    using writingScope = new AbortScope(signal);
    const clauses = new Channel<Clause>(CLAUSES_AHEAD);
    const writing = this.#write(clauses, writingScope.signal)
      .catch((error: unknown) => this.#fail("llm", error))
      .finally(written);
    const speaking = this.#voice.speak(clauses, this.#opened).catch((error: unknown) => {
      clauses.close();
      writingScope.abort();
      this.#fail("tts", error);
    });
    await Promise.all([writing, speaking]);
    this.#failIfSilent();
    await this.#opened;
    if (signal.aborted) return;
    this.#complete = true;
    // Ready speech is played before a failure is reported.
    this.#player.finish();
  }

  /** Sends the waiting text and speech. Later text and speech are sent at once. */
  open(): void {
    this.#isOpen = true;
    for (const send of this.#unsent.splice(0)) send();
    this.#player.resume();
    this.#open();
  }

  /** The first failure. */
  get failure(): ReplyFailure | undefined {
    return this.#failure;
  }

  /** Time the language model and the voice have worked on it, ms. */
  get workMs(): number {
    return this.#workMs + this.#voice.workMs;
  }

  hold(): void {
    this.#player.hold();
  }

  resume(): void {
    this.#player.resume();
  }

  /** The client has room again. */
  sendMore(): void {
    this.#player.sendMore();
  }

  /** The client has played this much of the reply. */
  reportPlayed(playedMs: number): void {
    this.#player.reportPlayed(playedMs);
  }

  /** Stops sending at once. Abort the signal as well. */
  cancel(): void {
    this.#player.cancel();
  }

  /** True when the text reached its longest length. */
  get isCutShort(): boolean {
    return this.#cutCall !== undefined || this.#pieceCount >= this.#options.style.maxTokens;
  }

  /** Text and speech of the reply, for later corrections of its heard part. */
  get spoken(): SpokenReply {
    return { text: this.#isExcuse ? "" : this.#text, spans: this.#player.spans };
  }

  /** True when all of its text is written. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** The functions that it calls. */
  get calls(): readonly ToolCall[] {
    return this.#calls;
  }

  get heardMs(): number {
    return this.#player.heardMs;
  }

  /** The part of the reply that has been heard by now. */
  heard(): string {
    // The model would repeat a sentence that it did not write.
    if (this.#isExcuse) return "";
    if (!this.#options.style.speaks) return this.#text.trim();
    return this.#text.slice(0, this.#player.heardChars(this.#text)).trim();
  }

  /** The rest that the caller has not heard. While text is missing: only whole sentences, or undefined when there is none. */
  unheard(): string | undefined {
    if (!this.#options.style.speaks || this.#isExcuse) return "";
    const rest = this.#text.slice(this.#player.heardChars(this.#text));
    return this.#isWritten ? rest.trim() : wholeSentences(rest, this.#options.language.keepsDot)?.trim();
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** True when the rest is the end of a question, at most `withinMs` of speech. */
  endsAsking(withinMs: number): boolean {
    return this.#complete && this.#text.trimEnd().endsWith("?") && this.#player.remainingMs <= withinMs;
  }

  async #write(clauses: Channel<Clause>, signal: AbortSignal): Promise<void> {
    const { source, clock } = this.#options;
    const startMs = clock.nowMs();
    if ("text" in source) this.#pacing.ended();
    const splitter = new ClauseSplitter(this.#options.language.keepsDot);
    const push = async (cut: readonly Clause[]) => {
      for (const clause of cut) {
        this.#pacing.cut(clause.end - clause.start);
        await clauses.push(clause, signal);
      }
    };
    const take = async (text: string) => {
      // Line breaks around a call are not a reply.
      if (this.#text === "" && text.trim() === "") return;
      this.#text += text;
      this.#sendText(text, false);
      await push(splitter.push(text, this.#pacing.hurry(this.#player.remainingMs)));
    };
    try {
      for await (const piece of this.#pieces(signal)) {
        // A piece may have been under way when the reply was stopped. A call in it must not run.
        signal.throwIfAborted();
        if (typeof piece !== "string") {
          if ("question" in piece) {
            await take(`${this.#text === "" ? "" : " "}${piece.question}`);
            this.#send(() => this.#options.events.asked?.(piece));
          } else this.#sendCall(piece);
          continue;
        }
        if ("messages" in source) {
          this.#pieceCount += 1;
          this.#pacing.wrote(piece.length);
        }
        await take(piece);
      }
      this.#isWritten = true;
      await push(splitter.flush());
    } catch (error) {
      if (signal.aborted || this.#voice.isHeard(this.#text) || this.#calls.length > 0) throw error;
      this.#fail("llm", error);
      // Silence is worse than an excuse.
      this.#isExcuse = true;
      this.#isWritten = true;
      await take(`${this.#text === "" ? "" : " "}${this.#options.language.excuse}`);
      await push(splitter.flush());
    } finally {
      this.#pacing.ended();
      this.#workMs += clock.nowMs() - startMs;
      this.#sendText("", true);
      clauses.close();
    }
  }

  async *#pieces(signal: AbortSignal): AsyncIterable<string | ToolCall | AskedCall> {
    const { source, chat, style, mayBeEmpty, language, readBack, kept } = this.#options;
    if ("text" in source) {
      if (source.text !== "") yield source.text;
    } else if ("call" in source) {
      yield source.call;
    } else {
      const { temperature, maxTokens, tools, toolChoice } = style;
      const request = { messages: source.messages, tools, toolChoice, maxTokens, temperature };
      try {
        const isHeard = (text: string) => this.#voice.isHeard(text);
        yield* writeReply(chat, request, signal, {
          isHeard,
          mayBeEmpty: mayBeEmpty === true,
          language,
          readBack,
          ...(kept && { kept }),
        });
      } catch (error) {
        if (errorCode(error) !== "LLM_CALL_INCOMPLETE" || !this.#voice.isHeard(this.#text)) throw error;
        this.#cutCall = error;
      }
    }
  }

  /** A reply of only an emoji, or in a script that the voice cannot read, must not leave the caller in silence. */
  #failIfSilent(): void {
    if (this.#options.mayBeEmpty === true && this.#text.trim() === "") return;
    if (this.#voice.isSpoken || this.#calls.length > 0 || (!this.#options.style.speaks && this.#text.trim() !== ""))
      return;
    if (this.#voice.isSpeakable)
      this.#fail("tts", new OakError("The voice made no sound of the reply.", { code: "TTS_SAID_NOTHING" }));
  }

  #fail(stage: ReplyFailure["stage"], error: unknown): void {
    rethrowFault(error);
    if (!this.#options.signal.aborted) this.#failure ??= { stage, error };
  }

  #sendCall(call: ToolCall): void {
    this.#calls.push(call);
    this.#send(() => this.#options.events.called(call));
  }

  #send(send: () => void): void {
    if (this.#isOpen) send();
    else this.#unsent.push(send);
  }

  #sendText(text: string, last: boolean): void {
    // An empty piece stands for one that is held until its clause is checked. It only counts.
    if (text === "" && !last) return;
    const { events, style } = this.#options;
    this.#send(() => {
      events.text(text, last);
      if (!style.speaks && text !== "" && !this.#isRead) events.audible();
      if (text !== "") this.#isRead = true;
    });
  }
}

import { CALL_HZ } from "../../audio/format.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { LanguageSession, ToolCall } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import { Serial } from "../../shared/serial.ts";
import type { Tasks } from "../../shared/tasks.ts";
import type { TextToSpeech } from "../../engines/tts/text-to-speech.ts";
import { GREETING_TURN, type TurnEffect } from "../turn/machine/turn-state.ts";
import type { Emit, SessionEvent } from "../events.ts";
import type { PlaybackReport } from "./speech/playback-report.ts";
import type { OpenRequest, ReplyRequest } from "./reply-requests.ts";
import { replyKey, turnKey, History } from "./text/history.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";
import { ModelPace } from "./speech/model-pace.ts";
import { Reply, type ReplyOptions } from "./reply.ts";
import { SentSpeech, type Arrived } from "./speech/sent-speech.ts";
import { UnclearWords } from "./text/unclear-words.ts";
import type { SpeculationCounts } from "./speculation-counts.ts";
import type { SpeechPace } from "./speech/speech-pace.ts";
import { KeptValues } from "../facts/kept-values.ts";
import { askedCall, Confirmation } from "../tool-calls/confirmation.ts";
import type { ToolRunner } from "../tool-calls/tool-runner.ts";
import type { ResponderSnapshot } from "./responder-snapshot.ts";
import type { LiveReply } from "./live-reply.ts";
import { LostReply, type Recovery } from "./lost-reply.ts";
import { Prefill } from "./prefill.ts";
import { PreparedReply } from "./prepared-reply.ts";
import { CallsOfReply, ReplyCalls } from "./reply-calls.ts";
import { ReplyPrompt } from "./reply-prompt.ts";

/** Callers answer a question a little before it ends. */
const QUESTION_END_MS = 1200;

export interface ResponderOptions {
  readonly chat: LanguageSession;
  readonly speech: () => TextToSpeech;
  readonly language: () => Language;
  /** The language that the recogniser heard. Undefined: the configuration decides how replies are written. */
  readonly heardLanguage: () => string | undefined;
  readonly voice: VoiceConfiguration;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly pace: SpeechPace;
  /** See `PlayerOptions`. */
  readonly jitterMs: () => number;
  readonly signal: AbortSignal;
  readonly tasks: Tasks;
  readonly log: Log;
  readonly settings: () => SessionSettings;
  /** Undefined: no reply is prepared before the turn is over. */
  readonly counts: SpeculationCounts | undefined;
  readonly tools: ToolRunner;
  readonly events: {
    /** The language model is asked, with all that is known now. */
    asked(): void;
    /** See `ReplyEvents`. */
    sent(pcm: Int16Array, playsAtMs: number): void;
    audible(turn: number): void;
    finished(turn: number): void;
    failed(turn: number, stage: "llm" | "tts", error: unknown): void;
  };
}

/** The service's side of the conversation: the history, the current reply, and at most one prepared reply. */
export class Responder {
  readonly history = new History();
  readonly #options: ResponderOptions;
  /** The language model takes one request at a time. */
  readonly #generating = new Serial();
  readonly #pace: ModelPace;
  readonly #unclear = new UnclearWords();
  #replies = 0;
  #current: LiveReply | undefined;
  readonly #prompt: ReplyPrompt;
  readonly #prepared: PreparedReply;
  readonly #prefill: Prefill;
  #clientHasRoom = true;
  /** The part of the last reply that the caller has not heard; undefined when too little text was written to continue it. */
  #unsaid: string | undefined = "";
  readonly #sent = new SentSpeech();
  readonly #confirmation = new Confirmation();
  readonly #kept = new KeptValues();
  readonly #calls: ReplyCalls;
  readonly #lost = new LostReply();

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#pace = new ModelPace(options.clock);
    this.#calls = new ReplyCalls({ ...options, history: this.history });
    this.#prompt = new ReplyPrompt(this.history, this.#unclear, options);
    this.#prepared = new PreparedReply(options.counts, (messages) => this.#prepare({ messages }, true));
    this.#prefill = new Prefill({
      ...options,
      prompt: this.#prompt,
      generating: this.#generating,
      configId: options.voice.config_id,
    });
  }

  /** The final transcript of a turn, or given text. */
  addUser(text: string, turn?: number): void {
    this.history.addUser(text, this.#prompt.wordsNote, turn === undefined ? "" : turnKey(turn));
    this.#unclear.clear();
  }

  /** Words over a reply that were too unclear to stop it. */
  keepForNextTurn(words: string): void {
    this.#unclear.add(words);
  }

  /**
   * Prepares the reply to `text` while the turn, `spokenMs` long so far, may still continue. Nothing of it is sent. Keeps a
   * prepared reply to the same text. Does nothing in a long turn or after a few tries. Resolves when the reply is settled.
   */
  async prepareReply(turn: number, text: string, spokenMs: number): Promise<void> {
    if (this.#current !== undefined || !this.#prepared.mayPrepare(spokenMs)) return;
    if (this.#confirmation.isAnsweredBy(text, this.#language)) return;
    const prepared = this.#prepared.prepare(turn, this.#prompt.ahead(text));
    if (prepared === undefined) return;
    this.#prefill.stop();
    await prepared.work;
  }

  /** Drops the prepared reply. */
  dropPrepared(): void {
    this.#prepared.drop();
  }

  /**
   * Answers the turn, or carries out the request. After an interruption without words it continues the interrupted reply, or
   * replaces it. Resolves when all speech is synthesised, failed or cancelled.
   */
  start(turn: number, requested: OpenRequest | undefined): Promise<void> {
    const { voice } = this.#options;
    const agreed = requested?.isSide === true ? undefined : this.#agreedCall();
    const isOther = requested?.text !== undefined || requested?.messages !== undefined;
    if (agreed !== undefined && !isOther) return this.#begin(turn, { call: agreed });
    if (requested !== undefined) return this.#startRequested(turn, requested);
    if (turn === GREETING_TURN) return this.#begin(turn, { text: voice.greeting ?? "" });
    if (!this.history.isAsked) {
      if (this.#unsaid !== undefined) return this.#begin(turn, { text: this.#unsaid });
      this.history.askAgain();
    }
    this.#prefill.stop();
    this.#options.events.asked();
    const messages = this.#prompt.now();
    const prepared = this.#prepared.take(messages);
    if (prepared !== undefined) {
      this.#current = prepared;
      prepared.answers.turn = turn;
      this.#announce(prepared);
      prepared.reply.open();
      return prepared.work;
    }
    return this.#begin(turn, { messages });
  }

  #startRequested(turn: number, requested: OpenRequest): Promise<void> {
    this.#prefill.stop();
    if (requested.text !== undefined) return this.#begin(turn, { text: requested.text }, requested);
    if (requested.isSide !== true && requested.messages === undefined) this.#options.events.asked();
    return this.#begin(turn, { messages: this.#prompt.requested(requested) }, requested);
  }

  /** The call that the caller's last words agree to. Other words drop it. */
  #agreedCall(): ToolCall | undefined {
    return this.#confirmation.take(this.history.unansweredWords, this.#language);
  }

  #begin(turn: number, source: ReplyOptions["source"], requested?: OpenRequest): Promise<void> {
    this.dropPrepared();
    this.#current = this.#prepare(source, false, requested);
    this.#current.answers.turn = turn;
    this.#announce(this.#current);
    return this.#current.work;
  }

  /** Its place in the conversation is before the turns that end while it is spoken. */
  #announce({ number, answers, isSide, request }: LiveReply): void {
    if (!isSide) this.history.addAssistant("", replyKey(number));
    this.#options.emit({ type: "reply-started", reply: number, turn: answers.turn, request: request?.number });
  }

  #prepare(source: ReplyOptions["source"], speculative: boolean, requested?: OpenRequest): LiveReply {
    const { emit, events, signal, clock } = this.#options;
    const isSide = requested?.isSide ?? false;
    const style = this.#prompt.style(requested);
    const number = (this.#replies += 1);
    const hasOwnTools = requested?.settings?.tools !== undefined;
    const calls = new CallsOfReply(this.#calls, { reply: number, isSide, hasOwnTools, style });
    const answers = { turn: GREETING_TURN };
    const scope = new AbortScope(signal);
    const reply = new Reply({
      ...this.#options,
      speech: this.#options.speech(),
      language: this.#language,
      source,
      speculative,
      style,
      mayBeEmpty: requested?.mayBeEmpty ?? false,
      ...(isSide ? {} : { kept: this.#kept }),
      readBack: (call, isDoubtful) => askedCall(call, calls.tool(call.name), isDoubtful, this.#language),
      hasRoom: () => this.#clientHasRoom,
      signal: scope.signal,
      events: {
        asked: (asked) => {
          this.#confirmation.wait(asked.call);
          this.history.setAsked(replyKey(number), asked);
        },
        called: (call) => calls.take(call),
        text: (text, last) => emit({ type: "reply-text", reply: number, text, last }),
        sent: (pcm, playsAtMs) => {
          emit({ type: "reply-audio", reply: number, pcm, sampleRateHz: CALL_HZ, playsAtMs });
          this.#sent.add(replyKey(number), pcm.length, clock.nowMs(), playsAtMs);
          events.sent(pcm, playsAtMs);
        },
        audible: () => {
          requested?.heard?.();
          events.audible(answers.turn);
        },
        finished: () => {
          this.#end("played");
          events.finished(answers.turn);
        },
        failed: (stage, error) => {
          this.#end("failed");
          events.failed(answers.turn, stage, error);
        },
      },
    });
    const work = "messages" in source ? this.#generate(reply, scope.signal) : reply.run();
    return { number, reply, scope, answers, isSide, request: requested, calls, work };
  }

  /** The next request to the language model waits for the text of the reply, not for its speech. */
  async #generate(reply: Reply, signal: AbortSignal): Promise<void> {
    let work: Promise<void> | undefined;
    const write = () =>
      new Promise<void>((written) => {
        work = reply.run(written);
      });
    await this.#generating.run(() => this.#pace.run(signal, write));
    await work;
  }

  hold(): void {
    this.#current?.reply.hold();
    if (this.#current !== undefined) this.#options.emit({ type: "reply-held", reply: this.#current.number });
  }

  resume(): void {
    this.#current?.reply.resume();
    if (this.#current !== undefined) this.#options.emit({ type: "reply-resumed", reply: this.#current.number });
  }

  /** Takes the client's report about its playback. A report about an earlier reply is ignored. */
  reportPlayback(report: PlaybackReport): void {
    if (report.type === "played") {
      if (report.reply === this.#current?.number) this.#current.reply.reportPlayed(report.playedMs);
      return;
    }
    this.#clientHasRoom = report.type === "room";
    if (this.#clientHasRoom) this.#current?.reply.sendMore();
  }

  /** The text of the current reply so far, or nothing. */
  get speech(): string {
    return this.#current?.reply.text ?? "";
  }

  /** True at the end of a question and after it: a "yes" is then an answer, not a back-channel. */
  get awaitsAnswer(): boolean {
    return this.#current?.reply.endsAsking(QUESTION_END_MS) ?? this.history.unanswered.endsWith("?");
  }

  /** Stops the reply at once and remembers what the caller heard of it. */
  cancel({ audible, by }: TurnEffect & { type: "cancel-reply" }): void {
    if (by === "client") return this.#end("stopped");
    if (by === "loss" && audible) {
      this.#lost.lose(this.#current);
      return this.#end("stopped");
    }
    this.#end(audible ? "interrupted" : "dropped");
  }

  /**
   * The caller is back on another connection. Corrects the history to the speech that they heard over the lost one. With
   * `owesReply` the next reply is the rest, or the lost reply again. `delaysAnswer`: an answer is owed after it.
   */
  recover(arrived: Arrived): Recovery {
    const nowMs = this.#options.clock.nowMs();
    return this.#lost.recover(this.history, this.#sent, arrived, nowMs, this.#language.keepsDot);
  }

  /**
   * @param isAudible The caller has heard some of the reply under way.
   * @param unheard The request whose reply is owed.
   * @param owesGreeting The caller has heard nothing of the greeting.
   */
  snapshot(isAudible: boolean, unheard: ReplyRequest | undefined, owesGreeting: boolean): ResponderSnapshot {
    const { voice } = this.#options;
    const current = this.#current?.isSide === true ? undefined : this.#current;
    const audible = isAudible ? current : undefined;
    const history = this.history.entries.map((entry) =>
      audible === undefined || entry.key !== replyKey(audible.number)
        ? entry
        : { ...entry, text: audible.reply.heard(), spoken: audible.reply.spoken },
    );
    const spoken = history.flatMap(({ key, spoken: speech }) => (speech === undefined ? [] : [key]));
    const greeting = owesGreeting ? voice.greeting : undefined;
    return {
      history,
      sent: this.#sent.snapshot(new Set(spoken)),
      replies: this.#replies,
      lost: this.#lost.snapshot(audible),
      unheardText: isAudible ? undefined : (unheard?.text ?? greeting),
      asked: current === undefined ? this.#confirmation.waiting : undefined,
    };
  }

  restore({ history, sent, replies, lost, asked }: ResponderSnapshot): void {
    this.#confirmation.wait(asked);
    this.history.load(history);
    this.#sent.load(sent);
    this.#replies = replies;
    this.#lost.restore(lost);
  }

  #end(how: (SessionEvent & { type: "reply-ended" })["how"]): void {
    const wasAsked = how === "played" || this.#current?.reply.endsAsking(QUESTION_END_MS) === true;
    const ended = this.#stop();
    if (ended === undefined) return;
    // A caller who has not heard all values cannot agree to them.
    if (!wasAsked && !ended.isSide) this.#confirmation.wait(undefined);
    if (how === "played") ended.calls.keep();
    const { number, answers, reply } = ended;
    const { heardMs, isCutShort: cutShort } = reply;
    this.#options.emit({
      type: "reply-ended",
      reply: number,
      turn: answers.turn,
      how,
      heardMs,
      cutShort,
      spans: reply.spoken.spans,
    });
  }

  #stop(): LiveReply | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    this.#current = undefined;
    current.reply.cancel();
    current.scope.abort();
    current.scope[Symbol.dispose]();
    const { reply, number, isSide } = current;
    if (isSide) return current;
    this.history.addAssistant(reply.heard(), replyKey(number), reply.spoken);
    this.#unsaid = reply.unheard();
    return current;
  }

  /** The session ends: stops all work and reports nothing. */
  close(): void {
    this.#stop();
    this.dropPrepared();
  }

  /** A turn begins. The model evaluates the prompt up to the caller's words while they talk. */
  listen(): void {
    this.#prompt.newTurn();
    this.readAhead();
  }

  /** Evaluates the prompt ahead. */
  readAhead(): void {
    this.#prefill.start();
  }

  get #language(): Language {
    return this.#options.language();
  }
}

import type { RecordSettings } from "../config/call-record-settings.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { Emit, SessionEvent } from "../conversation/events.ts";
import { heardChars } from "../conversation/reply/text/heard-chars.ts";
import type { Recording, TypedBy } from "../conversation/session/session-interface.ts";
import type { CallControl } from "../conversation/tool-calls/tool.ts";
import { tagsOf } from "../language/language-setting.ts";
import { languageOf } from "../language/packs/languages.ts";
import type { Language } from "../language/language.ts";
import { wordsOf } from "../language/words.ts";
import type { Clock } from "../shared/clock.ts";
import { ConsentSentence, greetingWith } from "./consent.ts";
import { addLine, OpenRecord } from "./open-record.ts";
import type { RecordPlace } from "./record-place.ts";
import type { ConsentChange } from "./store/record-lines.ts";
import type { RecordPart } from "./store/record-layout.ts";

/** How a call ended, beside the endings that the assistant chose. */
export type CallEndReason = "caller_left" | "connection_lost" | "server_stopped" | "failed" | "moved";

export interface CallRecorderOptions {
  readonly voice: VoiceConfiguration;
  readonly settings: RecordSettings;
  /** Id of the present or last connection, as in the log. */
  readonly connectionId: () => string;
  /** Id of the key, or the token's subject. */
  readonly owner: string;
  readonly processName: string;
  readonly place: RecordPlace;
  readonly clock: Clock;
  /** Wall-clock time. */
  readonly now: () => Date;
  readonly emit: Emit;
  /** The position in a trace that the webhook's receiver gets. */
  readonly traceparent?: (() => string | undefined) | undefined;
}

/** The record of one call: asks for consent, begins, and ends. */
export class CallRecorder implements Recording {
  readonly #options: CallRecorderOptions;
  /** The announcement or the question. */
  readonly #notice: ConsentSentence | undefined;
  readonly #replies = new Map<number, string>();
  readonly #consent: ConsentChange[] = [];
  #control: CallControl | undefined;
  #record: OpenRecord | undefined;
  #isDecided = false;
  #isStarted = false;
  #callerId: string | undefined;
  #connectionLost = false;
  #reason: CallEndReason | undefined;
  #ending: { transferTo?: string; summary?: string; endReason: string } | undefined;
  #isEnded = false;
  /** The caller's last turn, in lower case and without marks. */
  #lastWords = "";

  constructor(options: CallRecorderOptions) {
    this.#options = options;
    if (options.settings.consent !== "none") this.#notice = new ConsentSentence(this.#sentence);
  }

  /** The configuration with a greeting that tells or asks the caller. */
  get voice(): VoiceConfiguration {
    const { voice, settings } = this.#options;
    const greeting = greetingWith(settings.consent, this.#sentence, voice.greeting);
    return greeting === undefined ? voice : { ...voice, greeting };
  }

  get #language(): Language {
    return this.#control?.language() ?? languageOf(tagsOf(this.#options.voice.language)[0] ?? "en");
  }

  get #sentence(): string {
    const { settings, voice } = this.#options;
    // The greeting is in the configuration's first language.
    const { recording } = languageOf(tagsOf(voice.language)[0] ?? "en");
    return settings.consent === "announce"
      ? (settings.announcement ?? recording.announced)
      : (settings.question ?? recording.asked);
  }

  /** A record is kept now. */
  get isRecording(): boolean {
    return this.#record !== undefined;
  }

  /** The means of a tool to speak and to end the call. */
  control(control: CallControl): void {
    this.#control = control;
  }

  /** The session has begun. Idempotent. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { consent } = this.#options.settings;
    if (this.#isQuestion) this.#options.emit({ type: "recording", state: "asked" });
    else this.#begin(consent === "announce" ? "announced" : "not asked", "configuration");
  }

  heard(pcm: Int16Array, sessionMs: number): void {
    this.#record?.writer.heard(pcm, sessionMs);
  }

  typed(text: string, by: TypedBy): void {
    this.#hear(text, "typed");
    // The record begins after the text with the yes.
    const record = this.#record;
    this.#answer(text, "typed");
    record?.writer.typed(text, by);
  }

  /** Takes every event of the session, before anything else does. */
  take(event: SessionEvent): void {
    if (event.type === "ready") this.#nameCaller(event.settings.callerId ?? undefined);
    if (event.type === "call-ended") {
      const { transferTo, summary, reason } = event.ending;
      const writer = this.#options.settings.keep.includes("words") ? this.#record?.writer : undefined;
      this.#ending = {
        endReason: transferTo === undefined ? "assistant" : "transferred",
        ...(transferTo === undefined ? {} : { transferTo }),
        ...(writer === undefined ? {} : { summary: writer.redacted(summary === "" ? reason : summary) }),
      };
    }
    if (event.type === "turn-ended" && event.transcript.accumulated !== "")
      this.#hear(event.transcript.accumulated, "said");
    // The record begins after the turn with the yes.
    const record = this.#record;
    if (this.#notice !== undefined) this.#listen(event, this.#notice);
    record?.take(event);
  }

  /** A client's answer, or a withdrawal. */
  consent(isGiven: boolean): void {
    this.#decide(isGiven, "message");
  }

  /** A weak language model also calls the tool when the caller spoke of something else. */
  withdraw(): boolean {
    if (this.#record === undefined || !this.#language.recording.mentioned.test(this.#lastWords)) return false;
    this.#decide(false, "tool");
    return true;
  }

  lost(isLost: boolean): void {
    this.#connectionLost = isLost;
    if (!isLost) this.#record?.resumedBy(this.#options.connectionId());
  }

  /** Another box has the call, or the program failed. `ended` follows. */
  endsBy(reason: CallEndReason): void {
    this.#reason ??= reason;
  }

  /** The call is over. Idempotent. */
  ended(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#reason ??= this.#options.place.isStopping ? "server_stopped" : "caller_left";
    const record = this.#record;
    this.#record = undefined;
    if (record === undefined) return;
    const { voice, place, traceparent, now } = this.#options;
    const notes = record.end({
      endedAt: now().toISOString(),
      endReason: this.#connectionLost && this.#reason === "caller_left" ? "connection_lost" : this.#reason,
      ...this.#ending,
    });
    place.ended({ id: record.id, voice, notes, traceparent: traceparent?.() });
  }

  /** The record was erased while the call goes on. Nothing more is kept. */
  erased(): void {
    this.#record?.abandon();
    this.#record = undefined;
    this.#isDecided = true;
    this.#options.emit({ type: "recording", state: "off" });
  }

  /** A caller who wants no recording needs no language model to understand it. */
  #hear(text: string, how: string): void {
    this.#lastWords = wordsOf(text).join(" ");
    if (this.#record !== undefined && this.#language.recording.unwanted.test(this.#lastWords)) this.#decide(false, how);
  }

  #nameCaller(callerId: string | undefined): void {
    if (callerId === this.#callerId) return;
    this.#callerId = callerId;
    if (callerId !== undefined) this.#record?.add({ callerId });
  }

  #listen(event: SessionEvent, notice: ConsentSentence): void {
    if (event.type === "reply-text")
      this.#replies.set(event.reply, (this.#replies.get(event.reply) ?? "") + event.text);
    if (event.type === "reply-ended") {
      const text = this.#replies.get(event.reply) ?? "";
      this.#replies.delete(event.reply);
      const chars = event.how === "played" ? text.length : heardChars(text, event.spans, event.heardMs);
      if (notice.replyEnded(text, text.slice(0, chars)) && !this.#isOver) this.#control?.say(notice.text);
    }
    if (event.type !== "turn-ended" || event.transcript.isDoubtful === true) return;
    this.#answer(event.transcript.accumulated, "said");
  }

  /** The caller's words may answer the question. */
  #answer(words: string, how: string): void {
    if (!this.#isQuestion || this.#isDecided || words === "") return;
    const answer = this.#notice?.answer(words, this.#language);
    if (answer === "again") this.#control?.say(this.#notice?.text ?? "");
    else if (answer !== undefined) this.#decide(answer === "given", how);
  }

  get #isQuestion(): boolean {
    const { consent } = this.#options.settings;
    return consent === "ask" || consent === "required";
  }

  /** Nothing is left to say about the record. */
  get #isOver(): boolean {
    return this.#isEnded || (this.#isQuestion ? this.#isDecided : this.#record === undefined);
  }

  #decide(isGiven: boolean, how: string): void {
    if (this.#isEnded) return;
    if (isGiven) {
      if (this.#record === undefined) this.#begin("given", how);
      return;
    }
    if (this.#record !== undefined) return this.#withdraw(this.#record, how);
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#note("refused", how);
    this.#options.emit({ type: "recording", state: "off" });
    if (this.#options.settings.consent === "required") this.#endCall();
  }

  #begin(state: string, how: string): void {
    this.#isDecided = true;
    const { settings, voice, connectionId, owner, processName, place, clock, now, emit } = this.#options;
    this.#consent.push(this.#change(state, how));
    const { keep } = settings;
    const parts: RecordPart[] = [
      "call",
      ...(keep.includes("words") || keep.includes("emotion") ? ["words" as const] : []),
      ...(keep.includes("tools") ? ["tools" as const] : []),
      ...(keep.includes("audio") ? ["audio" as const] : []),
    ];
    const record = place.create(parts, this);
    this.#record = new OpenRecord({ ...record, settings, clock, language: () => this.#language.code });
    this.#record.add({
      startedAt: now().toISOString(),
      configId: voice.config_id,
      projectId: voice.project_id,
      connectionId: connectionId(),
      ...(this.#callerId === undefined ? {} : { callerId: this.#callerId }),
      keyId: owner,
      process: processName,
      keeps: [...keep],
      retentionDays: settings.retention_days,
      consent: this.#consent,
    });
    emit({ type: "recording", state: "on" });
  }

  /** The record goes. A record of the withdrawal stays. */
  #withdraw(record: OpenRecord, how: string): void {
    this.#record = undefined;
    record.abandon();
    this.#options.place.eraseOpen(record.id);
    this.#note("withdrawn", how);
    this.#options.emit({ type: "recording", state: "off" });
  }

  /** A record with the consent alone: nothing in it tells who the caller was. */
  #note(state: "refused" | "withdrawn", how: string): void {
    const { settings, voice, place, now } = this.#options;
    this.#consent.push(this.#change(state, how));
    const file = place.create(["call"]).files.get("call");
    const at = now().toISOString();
    addLine(file, {
      startedAt: at,
      endedAt: at,
      configId: voice.config_id,
      projectId: voice.project_id,
      retentionDays: { call: settings.retention_days.call },
      consent: [...this.#consent],
    });
    file?.end();
  }

  #change = (state: string, how: string): ConsentChange => ({ state, how, at: this.#options.now().toISOString() });

  #endCall(): void {
    const control = this.#control;
    const ending = { transferTo: undefined, reason: "the caller did not agree to the recording", summary: "" };
    control?.say(this.#language.recording.refused, () => control.end(ending));
  }
}

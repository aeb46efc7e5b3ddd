import type { RedactionKind, RecordSettings } from "../config/call-record-settings.ts";
import type { Word } from "../engines/stt/speech-to-text.ts";
import type { SessionEvent } from "../conversation/events.ts";
import type { TypedBy } from "../conversation/session/session-interface.ts";
import { CALL_SAMPLES_PER_MS } from "../audio/format.ts";
import { CallAudio, type Silence } from "./call-audio.ts";
import { CallTime } from "./call-time.ts";
import { redactJson } from "./redaction/redact-json.ts";
import { Redactor, type RedactionContext } from "./redaction/redactor.ts";
import { OPEN_MS, ReplyLines } from "./reply-lines.ts";
import { SpokenTurns, type HeardTurn, type RedactedTurn } from "./spoken-turns.ts";
import type { CallLine, WordsLine, ToolLine } from "./store/record-lines.ts";
import type { RecordPart } from "./store/record-layout.ts";
import type { RecordFile } from "./store/record-writer.ts";

/** Audio before the turn that may become a part of it, and how much of it is kept. */
const HELD_LEAD_IN_MS = 1_500;
const KEPT_LEAD_IN_MS = 300;

type EventOf<Type extends SessionEvent["type"]> = SessionEvent & { readonly type: Type };

/** Keys that are more than a choice in a menu. */
const PRESSED = /[\dA-D*#]{3,}/u;

/** Turns whose words are being decoded at once. A turn that the client dropped is never decoded. */
const MOST_OPEN_TURNS = 8;

interface OpenTurn {
  readonly turn: number;
  readonly startMs: number;
  writtenMs: number;
  readonly settled: Word[];
}

export interface CallWriterOptions {
  readonly settings: RecordSettings;
  /** The files of the parts that are kept. */
  readonly files: ReadonlyMap<RecordPart, RecordFile>;
  /** ms since the start of the record. */
  readonly nowMs: () => number;
  /** Primary tag of the language that is spoken now. */
  readonly language: () => string;
}

/** Turns the events of one call into the lines and the audio of its record: redacted before anything leaves this object. */
export class CallWriter {
  readonly #options: CallWriterOptions;
  readonly #redactor: Redactor;
  readonly #turns: SpokenTurns;
  readonly #time = new CallTime();
  readonly #audio: CallAudio | undefined;
  readonly #said: ReplyLines;
  readonly #hidden = new Map<string, readonly RedactionKind[]>();
  /** Turns that began during the record and whose words are not final. The last one goes on. */
  #open: OpenTurn[] = [];
  #turnCount = 0;
  #typedCount = 0;
  #lost = 0;
  #isInGap = false;

  constructor(options: CallWriterOptions) {
    const { settings, files } = options;
    this.#options = options;
    this.#redactor = new Redactor(settings.redact);
    this.#turns = new SpokenTurns(this.#redactor);
    const audio = files.get("audio");
    this.#audio = audio && new CallAudio(audio, this.#redactor.isOff);
    this.#said = new ReplyLines({
      redactor: this.#redactor,
      audio: this.#audio,
      nowMs: options.nowMs,
      context: () => this.#context("assistant"),
      write: (line) => this.#words(line),
      hide: (reply, kinds) => this.#hidden.set(`a${String(reply)}`, kinds),
    });
  }

  heard(pcm: Int16Array, sessionMs: number): void {
    const nowMs = this.#options.nowMs();
    this.#time.heard(sessionMs, pcm.length / CALL_SAMPLES_PER_MS, nowMs);
    this.#audio?.heard(pcm, sessionMs, this.#time.place(sessionMs), nowMs);
  }

  /** `playsAtMs` of speech is since the start of the record. */
  take(event: SessionEvent): void {
    switch (event.type) {
      case "turn-started":
        this.#open = [
          ...this.#open.slice(1 - MOST_OPEN_TURNS),
          { turn: event.turn, startMs: event.startMs, writtenMs: this.#options.nowMs(), settled: [] },
        ];
        this.#audio?.dropCaller(event.startMs - HELD_LEAD_IN_MS);
        return;
      case "transcript":
        return this.#openTurn(event);
      case "turn-ended":
        return this.#turnEnded(event);
      case "overlap-transcript":
        return this.#overlap(event);
      case "emotion":
        return this.#emotion(event);
      case "reply-started":
        return this.#said.started(event);
      case "reply-text":
        return this.#said.text(event);
      case "reply-audio":
        return this.#said.audio(event);
      case "reply-ended":
        return this.#said.ended(event);
      case "tool-ended":
        return this.#tool(event);
      case "call-ended":
      case "caller-idle":
      case "client-tool-call":
      case "failure":
      case "language-heard":
      case "level":
      case "ready":
      case "recording":
      case "request-ended":
      case "reply-held":
      case "reply-resumed":
      case "tool-call":
      case "tool-started":
      case "tool-state":
      case "turn-committed":
      case "turn-timed-out":
    }
  }

  /** Words that the caller gave without speaking. A short number on the keys may be a PIN. */
  typed(given: string, by: TypedBy): void {
    this.#typedCount += 1;
    this.#turnCount += 1;
    const turn = -this.#typedCount;
    const isHidden = by === "keys" && this.#redactor.hides("number") && PRESSED.test(given);
    const text = isHidden ? given.replaceAll(new RegExp(PRESSED, "gu"), "[number]") : given;
    if (isHidden) this.#hidden.set(`k${String(turn)}`, ["number"]);
    const atMs = Math.round(this.#options.nowMs());
    const language = this.#options.language();
    const heard = { turn, startMs: atMs, endMs: atMs, text, words: [], confidence: 1, language, typed: by };
    this.#writeTurns(heard);
  }

  /** Writes what waits for more words. Returns the sums of the call. */
  finish(): Pick<CallLine, "turns" | "hidden" | "lost"> {
    for (const turn of this.#turns.settle()) this.#writeTurn(turn, false);
    this.#said.cut();
    if (this.#redactor.isOff) this.#audio?.keepCaller(0, Infinity, []);
    const hidden: Record<string, number> = {};
    for (const kind of [...this.#hidden.values()].flat()) hidden[kind] = (hidden[kind] ?? 0) + 1;
    const lost = this.#lost + (this.#audio?.lost ?? 0);
    return { turns: this.#turnCount, hidden, ...(lost === 0 ? {} : { lost }) };
  }

  /** A text of the call that is kept elsewhere, such as the reason of a transfer. */
  redacted(text: string): string {
    return this.#redactor.redact(text, this.#context("caller")).text;
  }

  #context(speaker: RedactionContext["speaker"]): RedactionContext {
    return { speaker, language: this.#options.language(), isDictation: this.#turns.isDictating };
  }

  #openTurn({ turn, transcript, settled }: EventOf<"transcript">): void {
    const open = this.#open.find((each) => each.turn === turn);
    if (open === undefined) return;
    if (settled) open.settled.push(...transcript.words);
    const nowMs = this.#options.nowMs();
    if (nowMs - open.writtenMs < OPEN_MS) return;
    open.writtenMs = nowMs;
    const context = { ...this.#context("caller"), before: this.#said.last, isOpen: true, isDictation: true };
    const { text } = this.#redactor.redact(transcript.accumulated, context);
    this.#words({
      type: "caller",
      turn,
      startMs: this.#time.place(open.startMs),
      endMs: Math.round(nowMs),
      text,
      isOpen: true,
    });
  }

  #turnEnded({ turn, durationMs, transcript }: EventOf<"turn-ended">): void {
    const open = this.#open.find((each) => each.turn === turn);
    // It began before the record did, so its words are older than the consent.
    if (open === undefined) return;
    this.#open = this.#open.filter((each) => each !== open);
    const { startMs } = open;
    const endMs = startMs + durationMs;
    const isHeard = transcript.accumulated !== "" && transcript.isDoubtful !== true;
    if (!isHeard) {
      this.#audio?.dropCaller(this.#redactor.isOff ? 0 : endMs);
      return;
    }
    this.#turnCount += 1;
    const heard = {
      turn,
      startMs,
      endMs,
      text: transcript.accumulated,
      words: [...open.settled, ...transcript.words],
      confidence: transcript.confidence,
      language: this.#options.language(),
    };
    this.#writeTurns(heard);
  }

  /** Also earlier turns, whose digits go on in this one. */
  #writeTurns(heard: HeardTurn): void {
    for (const redacted of this.#turns.add(heard, this.#said.last))
      this.#writeTurn(redacted, redacted.heard.turn === heard.turn);
  }

  #writeTurn({ heard, text, words, silences, hidden }: RedactedTurn, isNew: boolean): void {
    const { turn, startMs, endMs, confidence, language, typed } = heard;
    const place = (ms: number) => (typed === undefined ? this.#time.place(ms) : ms);
    this.#hidden.set(
      `c${String(turn)}`,
      hidden.map(({ kind }) => kind),
    );
    // The audio of an earlier turn is written already, with its last digits silenced.
    if (isNew && typed === undefined && !this.#redactor.isOff)
      this.#audio?.keepCaller(startMs - KEPT_LEAD_IN_MS, endMs, silences);
    this.#words({
      type: "caller",
      turn,
      startMs: place(startMs),
      endMs: place(endMs),
      text,
      ...(words.length === 0
        ? {}
        : { words: words.map(([word, from, to]) => [word, this.#time.place(from), this.#time.place(to)]) }),
      ...(typed === undefined ? { confidence: Math.round(confidence * 1000) / 1000 } : { typed }),
      language,
    });
  }

  #overlap({ transcript }: EventOf<"overlap-transcript">): void {
    const startMs = (transcript.words[0]?.start ?? 0) * 1000;
    const endMs = (transcript.words.at(-1)?.end ?? 0) * 1000;
    const { text, findings } = this.#redactor.redact(transcript.accumulated, this.#context("caller"));
    this.#hidden.set(
      `o${String(startMs)}`,
      findings.map(({ kind }) => kind),
    );
    const silences: Silence[] = findings.length === 0 ? [] : [[-Infinity, Infinity]];
    if (!this.#redactor.isOff && transcript.words.length > 0)
      this.#audio?.keepCaller(startMs - 200, endMs + 200, silences);
    this.#words({ type: "overlap", startMs: this.#time.place(startMs), endMs: this.#time.place(endMs), text });
  }

  #emotion({ scores, audioMs }: EventOf<"emotion">): void {
    if (!this.#options.settings.keep.includes("emotion") || this.#options.nowMs() < audioMs) return;
    const strongest = scores
      .slice(0, 3)
      .map(({ names, score }) => [names[0] ?? "", Math.round(score * 1000) / 1000] as const);
    this.#write("words", { type: "emotion", atMs: Math.round(this.#options.nowMs()), scores: strongest });
  }

  #tool({ callId, name, arguments: args, result, outcome, durationMs }: EventOf<"tool-ended">): void {
    if (!this.#options.settings.keep.includes("tools")) return;
    const atMs = Math.round(this.#options.nowMs() - durationMs);
    // The call began before the record did.
    if (atMs < 0) return;
    const context = this.#context("caller");
    const line: ToolLine = {
      type: "tool", callId, name, atMs, durationMs: Math.round(durationMs), outcome,
      arguments: redactJson(args, this.#redactor, context), result: redactJson(result, this.#redactor, context),
    }; // prettier-ignore
    this.#write("tools", line);
  }

  #words(line: WordsLine): void {
    if (this.#options.settings.keep.includes("words")) this.#write("words", line);
  }

  #write(part: RecordPart, line: WordsLine | ToolLine): void {
    const file = this.#options.files.get(part);
    if (file === undefined) return;
    // The first line that the disk takes again says that others are missing.
    const gap: WordsLine = { type: "gap", atMs: Math.round(this.#options.nowMs()) };
    if (this.#isInGap && part === "words") this.#isInGap = !file.add(Buffer.from(JSON.stringify(gap)));
    if (file.add(Buffer.from(JSON.stringify(line)))) return;
    this.#isInGap = true;
    this.#lost += 1;
  }
}

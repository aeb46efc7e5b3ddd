import { CALL_SAMPLES_PER_MS } from "../audio/format.ts";
import type { RedactionKind } from "../config/call-record-settings.ts";
import type { SessionEvent } from "../conversation/events.ts";
import { heardChars } from "../conversation/reply/text/heard-chars.ts";
import type { CallAudio, Silence } from "./call-audio.ts";
import type { RedactionContext, Redactor } from "./redaction/redactor.ts";
import type { WordsLine } from "./store/record-lines.ts";

/** A turn or reply that goes on is written so often, for a crash. */
export const OPEN_MS = 1_000;

type EventOf<Type extends SessionEvent["type"]> = SessionEvent & { readonly type: Type };

interface OpenReply {
  text: string;
  startMs: number | undefined;
  writtenMs: number;
}

interface ReplyLinesOptions {
  readonly redactor: Redactor;
  readonly audio: CallAudio | undefined;
  /** ms since the start of the record. */
  readonly nowMs: () => number;
  readonly context: () => RedactionContext;
  readonly write: (line: WordsLine) => void;
  /** The kinds of hidden content in a reply. */
  readonly hide: (reply: number, kinds: readonly RedactionKind[]) => void;
}

/** The assistant's side of a record: lines and audio of its replies, redacted. */
export class ReplyLines {
  readonly #options: ReplyLinesOptions;
  readonly #replies = new Map<number, OpenReply>();
  #last = "";

  constructor(options: ReplyLinesOptions) {
    this.#options = options;
  }

  /** The heard part of the last reply, not redacted. */
  get last(): string {
    return this.#last;
  }

  started({ reply }: EventOf<"reply-started">): void {
    this.#replies.set(reply, { text: "", startMs: undefined, writtenMs: 0 });
  }

  text({ reply: number, text }: EventOf<"reply-text">): void {
    const reply = this.#replies.get(number);
    if (reply !== undefined) reply.text += text;
  }

  audio({ reply: number, pcm, playsAtMs }: EventOf<"reply-audio">): void {
    const { redactor, audio, context, write } = this.#options;
    const reply = this.#replies.get(number);
    if (reply === undefined) return;
    reply.startMs ??= Math.round(playsAtMs);
    audio?.sent(number, pcm, playsAtMs);
    const nowMs = this.#options.nowMs();
    if (nowMs - reply.writtenMs < OPEN_MS) return;
    reply.writtenMs = nowMs;
    const { text } = redactor.redact(reply.text, { ...context(), isOpen: true });
    write({
      type: "assistant",
      reply: number,
      startMs: reply.startMs,
      endMs: Math.round(nowMs),
      text,
      isOpen: true,
    });
  }

  ended({ reply: number, how, heardMs, spans }: EventOf<"reply-ended">): void {
    const { redactor, audio, context, write, hide } = this.#options;
    const reply = this.#replies.get(number);
    this.#replies.delete(number);
    if (reply === undefined) return;
    const { text, findings } = redactor.redact(reply.text, context());
    const silences: Silence[] = [];
    let fromMs = 0;
    for (const { samples, fromChar, toChar } of spans) {
      const toMs = fromMs + samples / CALL_SAMPLES_PER_MS;
      if (findings.some(({ from, to }) => from < toChar && to > fromChar)) silences.push([fromMs, toMs]);
      fromMs = toMs;
    }
    if (findings.length > 0 && silences.length === 0) silences.push([-Infinity, Infinity]);
    audio?.keepReply(number, heardMs, silences);
    if (reply.startMs === undefined || reply.text === "") return;
    hide(
      number,
      findings.map(({ kind }) => kind),
    );
    const chars = how === "played" ? reply.text.length : heardChars(reply.text, spans, heardMs);
    this.#last = reply.text.slice(0, chars);
    const isCut = chars < reply.text.trimEnd().length;
    const heard = isCut ? { heard: redactor.redact(this.#last, context()).text } : {};
    write({
      type: "assistant",
      reply: number,
      startMs: reply.startMs,
      endMs: Math.round(reply.startMs + heardMs),
      text,
      ...heard,
      how,
    });
  }

  /** The call ended. */
  cut(): void {
    for (const [number, reply] of this.#replies) this.#cut(number, reply);
  }

  /** The call ended in the middle of it. How much of it was heard is an estimate. */
  #cut(number: number, { text, startMs }: OpenReply): void {
    const { redactor, audio, context, write, nowMs } = this.#options;
    if (startMs === undefined) return;
    const redacted = redactor.redact(text, context());
    const endMs = Math.round(nowMs());
    audio?.keepReply(number, endMs - startMs, redacted.findings.length === 0 ? [] : [[-Infinity, Infinity]]);
    write({ type: "assistant", reply: number, startMs, endMs, text: redacted.text, how: "cut off" });
  }
}

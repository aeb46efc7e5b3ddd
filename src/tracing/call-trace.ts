import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { SessionEvent } from "../conversation/events.ts";
import { formatTraceParent } from "../shared/traceparent.ts";

/** Words of the call, redacted. Off unless the operator switched them on. Undefined: the caller wants no record of them. */
export type TracedWords = (text: string, speaker: "caller" | "assistant") => string | undefined;

export interface CallTraceOptions {
  readonly tracer: Tracer;
  /** The client's trace, or none. */
  readonly parent: Context;
  readonly connectionId: string;
  readonly attributes: Attributes;
  /** Unix time in ms, with fractions. Monotonic. */
  readonly nowMs: () => number;
  readonly words: TracedWords | undefined;
  /** More attributes for the spans of engines, by the stage in the metrics. */
  readonly stages?: Readonly<Record<string, Attributes>>;
}

type EventOf<Type extends SessionEvent["type"]> = SessionEvent & { readonly type: Type };

interface Stage {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

interface TracedTurn {
  readonly span: Span;
  readonly context: Context;
  readonly speechEndMs: number;
  readonly committedMs: number;
  finalMs?: number;
  textMs?: number;
  audioMs?: number;
  lastMs: number;
}

/** Times of engines become spans of these names; GenAI conventions where they have one. */
const STAGES: Readonly<Record<string, { readonly name: string; readonly attributes?: Attributes }>> = {
  llm_reply: { name: "chat", attributes: { "gen_ai.operation.name": "chat", "gen_ai.output.type": "text" } },
  tts_clause: { name: "synthesize clause", attributes: { "gen_ai.output.type": "speech" } },
};
/** Stages whose times are those of other spans, or that are too many. */
const LEFT_OUT = new Set(["final_to_text", "final_to_speech", "stt_partial", "vad"]);
const MOST_EARLY_STAGES = 50;

/**
 * The trace of one call: a span for the call, one for each turn, and below it the parts of the answer's delay. The parts follow one
 * another: end of turn, final transcript, language model, first clause of speech.
 */
export class CallTrace {
  readonly #options: CallTraceOptions;
  readonly #call: Span;
  readonly #context: Context;
  readonly #startMs: number;
  /** Engines work for a turn before it is known to be one. */
  #early: Stage[] = [];
  #turn: TracedTurn | undefined;
  readonly #replies = new Map<number, { readonly turn: TracedTurn | undefined; text: string; audioMs?: number }>();
  #isEnded = false;

  constructor(options: CallTraceOptions) {
    const { tracer, parent, connectionId, attributes } = options;
    this.#options = options;
    this.#startMs = options.nowMs();
    const all = { "oakvoice.connection.id": connectionId, "gen_ai.conversation.id": connectionId, ...attributes };
    this.#call = tracer.startSpan("call", { kind: SpanKind.SERVER, startTime: this.#startMs, attributes: all }, parent);
    this.#context = trace.setSpan(parent, this.#call);
  }

  /** For systems that the call's tools use: the turn under way, or the call. */
  get traceparent(): string {
    const { traceId, spanId, traceFlags: flags } = (this.#turn?.span ?? this.#call).spanContext();
    return formatTraceParent({ traceId, spanId, flags });
  }

  /** An engine has worked for so long until now. Called with the same number that the metrics get. */
  stage(name: string, seconds: number): void {
    if (LEFT_OUT.has(name) || this.#isEnded) return;
    const endMs = this.#options.nowMs();
    const stage = { name, startMs: endMs - seconds * 1000, endMs };
    if (this.#turn !== undefined && this.#early.length === 0) return this.#addStage(stage, this.#turn);
    this.#early.push(stage);
    if (this.#early.length > MOST_EARLY_STAGES) this.#early.shift();
  }

  take(event: SessionEvent): void {
    if (this.#isEnded) return;
    switch (event.type) {
      case "turn-started":
        this.#early = [];
        return this.#endTurn();
      case "turn-committed":
        return this.#committed(event);
      case "turn-ended":
        return this.#turnEnded(event);
      case "reply-started":
        this.#replies.set(event.reply, { turn: this.#turn, text: "" });
        return;
      case "reply-text":
        return this.#replyText(event);
      case "reply-audio":
        return this.#replyAudio(event);
      case "reply-ended":
        return this.#replyEnded(event);
      case "tool-ended":
        return this.#toolEnded(event);
      case "failure":
        this.#span.addEvent(
          "failure",
          { "oakvoice.stage": event.stage, "error.type": event.cause },
          this.#options.nowMs(),
        );
        return;
      case "language-heard":
        this.#call.setAttribute("oakvoice.language", event.language);
        return;
      case "call-ended":
        this.#call.setAttribute("oakvoice.transferred", event.ending.transferTo !== undefined);
        return;
      case "caller-idle":
      case "client-tool-call":
      case "emotion":
      case "level":
      case "overlap-transcript":
      case "ready":
      case "recording":
      case "request-ended":
      case "reply-held":
      case "reply-resumed":
      case "tool-call":
      case "tool-started":
      case "tool-state":
      case "transcript":
      case "turn-timed-out":
    }
  }

  /** The call is over. Idempotent. */
  ended(): void {
    if (this.#isEnded) return;
    this.#endTurn();
    this.#isEnded = true;
    this.#call.end(this.#options.nowMs());
  }

  get #span(): Span {
    return this.#turn?.span ?? this.#call;
  }

  #committed({ turn: number, startMs, voicedUntilMs, cause, heardMs }: EventOf<"turn-committed">): void {
    const { tracer, connectionId, nowMs } = this.#options;
    this.#endTurn();
    const now = nowMs();
    // Audio that came faster than real time would begin before the call.
    const at = (sessionMs: number) => Math.max(this.#startMs, now - (heardMs - sessionMs));
    const attributes = { "oakvoice.turn.id": `${connectionId}.${String(number)}`, "oakvoice.turn.end_cause": cause };
    const span = tracer.startSpan("turn", { startTime: at(startMs), attributes }, this.#context);
    const context = trace.setSpan(this.#context, span);
    const turn = { span, context, speechEndMs: at(voicedUntilMs), committedMs: now, lastMs: now };
    this.#turn = turn;
    this.#child("caller speech", at(startMs), at(voicedUntilMs), turn);
    this.#child("end of turn", at(voicedUntilMs), now, turn);
    for (const stage of this.#early.splice(0)) this.#addStage(stage, turn);
  }

  #turnEnded({ turn: number, transcript, confidence, language }: EventOf<"turn-ended">): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    const now = this.#options.nowMs();
    turn.finalMs = now;
    this.#child("final transcript", turn.committedMs, now, turn);
    turn.span.setAttributes({
      "oakvoice.turn.number": number,
      "oakvoice.turn.confidence": confidence,
      "oakvoice.turn.words": transcript.accumulated.split(/\s+/u).filter(Boolean).length,
      ...(language === undefined ? {} : { "oakvoice.language": language }),
      ...this.#said("oakvoice.pii.caller", transcript.accumulated, "caller"),
    });
  }

  #replyText({ reply: number, text }: EventOf<"reply-text">): void {
    const reply = this.#replies.get(number);
    if (reply === undefined || text === "") return;
    if (this.#options.words !== undefined) reply.text += text;
    const { turn } = reply;
    if (turn?.finalMs === undefined || turn.textMs !== undefined) return;
    turn.textMs = this.#options.nowMs();
    this.#child("language model", turn.finalMs, turn.textMs, turn);
  }

  #replyAudio({ reply: number }: EventOf<"reply-audio">): void {
    const reply = this.#replies.get(number);
    if (reply === undefined || reply.audioMs !== undefined) return;
    reply.audioMs = this.#options.nowMs();
    const { turn } = reply;
    if (turn?.finalMs === undefined || turn.audioMs !== undefined) return;
    turn.audioMs = reply.audioMs;
    this.#child("first clause of speech", turn.textMs ?? turn.finalMs, turn.audioMs, turn);
    turn.span.setAttributes({
      "oakvoice.turn.response_ms": turn.audioMs - turn.speechEndMs,
      "oakvoice.turn.final_to_speech_ms": turn.audioMs - turn.finalMs,
    });
  }

  #replyEnded({ reply: number, how, heardMs }: EventOf<"reply-ended">): void {
    const reply = this.#replies.get(number);
    this.#replies.delete(number);
    if (reply?.audioMs === undefined) return;
    const attributes = {
      "oakvoice.reply.number": number,
      "oakvoice.reply.end": how,
      "oakvoice.reply.heard_ms": heardMs,
      ...this.#said("oakvoice.pii.assistant", reply.text, "assistant"),
    };
    this.#child("playback", reply.audioMs, this.#options.nowMs(), reply.turn, attributes);
  }

  #toolEnded({ callId, name, outcome, durationMs }: EventOf<"tool-ended">): void {
    const now = this.#options.nowMs();
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": callId,
      ...(outcome === "done" ? {} : { "error.type": outcome }),
    };
    this.#child(`execute_tool ${name}`, now - durationMs, now, this.#turn, attributes, outcome !== "done");
  }

  #said(name: string, text: string, speaker: "caller" | "assistant"): Attributes {
    const said = text === "" ? undefined : this.#options.words?.(text, speaker);
    return said === undefined ? {} : { [name]: said };
  }

  #addStage({ name, startMs, endMs }: Stage, turn: TracedTurn): void {
    const known = STAGES[name];
    this.#child(known?.name ?? name, startMs, endMs, turn, {
      "oakvoice.stage": name,
      ...known?.attributes,
      ...this.#options.stages?.[name],
    });
  }

  #child(
    name: string,
    startTime: number,
    endTime: number,
    turn: TracedTurn | undefined,
    attributes: Attributes = {},
    isFailed = false,
  ): void {
    const parent = turn?.context ?? this.#context;
    const span = this.#options.tracer.startSpan(name, { startTime, attributes }, parent);
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endTime);
    if (turn !== undefined) turn.lastMs = Math.max(turn.lastMs, endTime);
  }

  /** A turn lasts until the last thing that belongs to it. */
  #endTurn(): void {
    this.#turn?.span.end(this.#turn.lastMs);
    this.#turn = undefined;
  }
}

import type { RequestNumber, SessionEvent } from "../../../conversation/events.ts";
import { replyKey } from "../../../conversation/reply/text/history.ts";
import { CallerTurns, type CallerTurnsOptions } from "./caller-turns.ts";
import { LiveResponse, type Ending } from "./live-response.ts";
import type { ResponseParams } from "../session/response-params.ts";

/** The strongest emotions of a turn that are sent. */
const EMOTIONS_SENT = 5;

export interface EncoderOptions extends CallerTurnsOptions {
  readonly conversationId: string;
}

interface Asked {
  readonly params: ResponseParams;
  /** Unknown until `respond` has returned. */
  request: RequestNumber | undefined;
}

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** Encodes the events of one session as events of the protocol. */
export class RealtimeEncoder {
  readonly #options: EncoderOptions;
  readonly #turns: CallerTurns;
  #response: LiveResponse | undefined;
  #reply = 0;
  /** The response that the client asked for, before it begins. */
  #asked: Asked | undefined;
  /** The end of a response that the next event explains. */
  #unexplained: EventOf<"reply-ended"> | undefined;
  #emotion: Readonly<Record<string, number>> | undefined;
  #readChars = 0;

  constructor(options: EncoderOptions) {
    this.#options = options;
    this.#turns = new CallerTurns(options);
  }

  /** The id of the current response, or "asked" before it has one. */
  get active(): string | undefined {
    return this.#response?.id ?? (this.#asked === undefined ? undefined : "asked");
  }

  /** The client asks for a response. `respond` may emit its first events. */
  ask(params: ResponseParams, respond: () => RequestNumber | undefined): void {
    const asked: Asked = { params, request: undefined };
    this.#asked = asked;
    asked.request = respond();
    if (asked.request === undefined && this.#asked === asked) this.#endAsked("turn_detected");
  }

  /** The response that was asked for never begins. */
  #endAsked(reason: "turn_detected" | "client_cancelled"): void {
    this.#begin(0, this.#asked?.params).end(cancelled(reason));
    this.#asked = undefined;
  }

  /** The client added text to the conversation. */
  read(chars: number): void {
    this.#readChars += chars;
  }

  encode(event: SessionEvent): void {
    this.#explain(event);
    switch (event.type) {
      case "turn-started":
        if (this.#turns.started(event)) this.#endUnexplained();
        return;
      case "turn-committed":
        return this.#turns.committed(event);
      case "turn-ended":
        return this.#turns.ended(event);
      case "caller-idle":
        return this.#turns.idle(event);
      case "reply-started":
        return this.#replyStarted(event);
      case "reply-text":
        if (event.reply === this.#reply) this.#response?.text(event.text);
        return;
      case "tool-call":
        if (event.reply === this.#reply) this.#response?.call(event.call);
        return;
      case "reply-audio":
        if (event.reply === this.#reply) this.#response?.audio(event.pcm);
        return;
      case "reply-ended":
        return this.#replyEnded(event);
      case "request-ended":
        if (event.request === this.#asked?.request)
          this.#endAsked(event.how === "stopped" ? "client_cancelled" : "turn_detected");
        return;
      case "emotion":
        this.#emotion = Object.fromEntries(
          event.scores.slice(0, EMOTIONS_SENT).flatMap(({ names, score }) => names.map((name) => [name, score])),
        );
        return;
      // Failures of a reply are explained above. A failed emotion or end-of-turn model changes little, and some clients hang up at any error.
      case "failure":
        return this.#turns.failed(event);
      case "client-tool-call":
      case "tool-started":
      case "tool-ended":
      case "tool-state":
      case "recording":
      case "call-ended":
      case "language-heard":
      case "ready":
      case "transcript":
      case "overlap-transcript":
      case "turn-timed-out":
      case "reply-held":
      case "reply-resumed":
      case "level":
    }
  }

  /** A reply that begins by itself answers the client's request too. Another request's reply does not. */
  #replyStarted({ reply, request }: EventOf<"reply-started">): void {
    const asked = this.#asked;
    const isAnswer = request === undefined || asked?.request === undefined || asked.request === request;
    this.#response = this.#begin(reply, isAnswer ? asked?.params : undefined);
    if (isAnswer) this.#asked = undefined;
    this.#reply = reply;
  }

  #begin(reply: number, params: ResponseParams = {}): LiveResponse {
    const { send, items, conversationId } = this.#options;
    const config = this.#options.config();
    const isSide = params.conversation === "none";
    const spent = { heardMs: this.#turns.takeHeardMs(), readChars: this.#readChars };
    const emotion = this.#emotion;
    this.#readChars = 0;
    this.#emotion = undefined;
    return new LiveResponse({
      key: replyKey(reply),
      send,
      items: isSide ? undefined : items,
      response: {
        conversation_id: isSide ? null : conversationId,
        output_modalities: params.output_modalities ?? config.output_modalities,
        max_output_tokens: params.max_output_tokens ?? config.max_output_tokens,
        metadata: params.metadata ?? null,
      },
      format: () => params.audio?.output?.format ?? this.#options.config().audio.output.format,
      voice: params.audio?.output?.voice ?? config.audio.output.voice,
      emotion,
      spent,
    });
  }

  #replyEnded(event: EventOf<"reply-ended">): void {
    if (event.reply !== this.#reply) return;
    switch (event.how) {
      case "played":
        return this.#end(event.cutShort ? CUT_SHORT : COMPLETED);
      case "stopped":
        return this.#end(cancelled("client_cancelled"));
      case "interrupted":
      case "dropped":
      case "failed":
        // `speech_started`, or the failure, follows at once and comes first.
        this.#unexplained = event;
    }
  }

  /** Ends a response whose explanation is not this event, or is part of it. */
  #explain(event: SessionEvent): void {
    if (this.#unexplained === undefined || event.type === "turn-started") return;
    this.#endUnexplained(event.type === "failure" && event.stage !== "stt" ? failed(event) : undefined);
  }

  #endUnexplained(failure = failed({ code: "LLM_UNAVAILABLE", cause: "LLM_UNAVAILABLE" })): void {
    const ended = this.#unexplained;
    this.#unexplained = undefined;
    if (ended?.how === "failed") this.#end(failure);
    else if (ended !== undefined) this.#end(cancelled("turn_detected"));
  }

  #end(ending: Ending): void {
    this.#response?.end(ending);
    this.#response = undefined;
  }
}

const COMPLETED: Ending = { status: "completed", status_details: { type: "completed" } };
const CUT_SHORT: Ending = {
  status: "incomplete",
  status_details: { type: "incomplete", reason: "max_output_tokens" },
};
const cancelled = (reason: "turn_detected" | "client_cancelled"): Ending => ({
  status: "cancelled",
  status_details: { type: "cancelled", reason },
});
function failed({ code, cause }: Pick<EventOf<"failure">, "code" | "cause">): Ending {
  // A call that reached the longest length of a reply.
  if (cause === "LLM_CALL_INCOMPLETE") return CUT_SHORT;
  const error = cause === "LLM_PROMPT_TOO_LONG" ? TOO_LONG : { ...FAILED, code: code.toLowerCase() };
  return { status: "failed", status_details: { type: "failed", error } };
}
const FAILED = { type: "server_error", message: "The reply could not be written or spoken; try again." };
const TOO_LONG = {
  type: "invalid_request_error",
  code: "llm_prompt_too_long",
  message: "Instructions, tools and the newest words do not fit into the model's context; shorten them.",
};

import type { FailureCode, RequestNumber, SessionEvent } from "../../../conversation/events.ts";
import { replyKey, turnKey } from "../../../conversation/reply/text/history.ts";
import { newId } from "../items/ids.ts";
import type { ItemList } from "../items/item-list.ts";
import type { Item } from "../items/items.ts";
import { LiveResponse, type Ending } from "./live-response.ts";
import type { ResponseParams } from "../session/response-params.ts";
import type { SendEvent } from "./server-events.ts";
import type { SessionConfig } from "../session/session-config.ts";

/** The strongest emotions of a turn that are sent. */
const EMOTIONS_SENT = 5;

export interface EncoderOptions {
  readonly send: SendEvent;
  readonly items: ItemList;
  readonly conversationId: string;
  readonly config: () => SessionConfig;
  /** Audio before the first voice that belongs to a turn, ms. */
  readonly leadInMs: () => number;
  /** The words of a turn whose item the client has deleted leave the prompt. */
  readonly forget: (key: string) => void;
}

interface Asked {
  readonly params: ResponseParams;
  /** Unknown until `respond` has returned. */
  request: RequestNumber | undefined;
}

interface UserTurn {
  readonly itemId: string;
  /** `speech_started` was sent. */
  readonly isAnnounced: boolean;
  isCommitted: boolean;
  seconds: number;
  failure?: FailureCode;
}

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** Encodes the events of one session as events of the protocol. */
export class RealtimeEncoder {
  readonly #options: EncoderOptions;
  readonly #turns = new Map<number, UserTurn>();
  #response: LiveResponse | undefined;
  #reply = 0;
  /** The response that the client asked for, before it begins. */
  #asked: Asked | undefined;
  /** The end of a response that the next event explains. */
  #unexplained: EventOf<"reply-ended"> | undefined;
  #emotion: Readonly<Record<string, number>> | undefined;
  /** End of the last turn. */
  #committedMs = 0;
  #heardMs = 0;
  #readChars = 0;

  constructor(options: EncoderOptions) {
    this.#options = options;
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
        return this.#turnStarted(event);
      case "turn-committed":
        return this.#turnCommitted(event);
      case "turn-ended":
        return this.#turnEnded(event);
      case "caller-idle":
        return this.#callerIdle(event);
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
      case "failure":
        return this.#failure(event);
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

  #turnStarted({ turn, startMs }: EventOf<"turn-started">): void {
    const isAnnounced = this.#options.config().audio.input.turn_detection !== null;
    const itemId = newId("item");
    // A turn that was not committed by now was dropped.
    for (const [earlier, { isCommitted }] of this.#turns) if (!isCommitted) this.#turns.delete(earlier);
    this.#turns.set(turn, { itemId, isAnnounced, isCommitted: false, seconds: 0 });
    if (!isAnnounced) return;
    const audio_start_ms = Math.round(Math.max(this.#committedMs, startMs - this.#options.leadInMs()));
    this.#options.send("input_audio_buffer.speech_started", { audio_start_ms, item_id: itemId });
    this.#endUnexplained();
  }

  #turnCommitted({ turn, startMs, endMs }: EventOf<"turn-committed">): void {
    const { send } = this.#options;
    const user = this.#turns.get(turn);
    if (user === undefined) return;
    user.isCommitted = true;
    this.#committedMs = endMs;
    user.seconds = (endMs - startMs) / 1000;
    this.#heardMs += endMs - startMs;
    if (user.isAnnounced)
      send("input_audio_buffer.speech_stopped", { audio_end_ms: Math.round(endMs), item_id: user.itemId });
    this.#addSpoken(user.itemId, turnKey(turn));
  }

  /** The caller's speech becomes an item. Its words follow when they are decoded. */
  #addSpoken(item_id: string, key: string): void {
    const { send, items } = this.#options;
    const previous_item_id = items.lastId;
    send("input_audio_buffer.committed", { item_id, previous_item_id });
    const item = spoken(item_id, null);
    items.add({ item, key });
    send("conversation.item.added", { item, previous_item_id });
    send("conversation.item.done", { item, previous_item_id });
  }

  #turnEnded({ turn, transcript, confidence, language }: EventOf<"turn-ended">): void {
    const { send, items, config } = this.#options;
    const user = this.#turns.get(turn);
    this.#turns.delete(turn);
    if (user === undefined) return;
    const { words, isDoubtful = false } = transcript;
    // The model does not get doubtful words, so the item is empty.
    const text = isDoubtful ? "" : transcript.accumulated;
    const kept = items.find(user.itemId);
    if (kept === undefined) this.#options.forget(turnKey(turn));
    else kept.item = spoken(user.itemId, text);
    if (config().audio.input.transcription === null) return;
    const part = { item_id: user.itemId, content_index: 0 };
    if (user.failure !== undefined && text === "") {
      const error = { type: "server_error", code: lower(user.failure), message: "Speech could not be recognised." };
      send("conversation.item.input_audio_transcription.failed", { ...part, error });
      return;
    }
    if (text !== "") send("conversation.item.input_audio_transcription.delta", { ...part, delta: text });
    send("conversation.item.input_audio_transcription.completed", {
      ...part,
      transcript: text,
      usage: { type: "duration", seconds: user.seconds },
      oakvoice: {
        words,
        confidence: transcript.confidence,
        end_of_turn_confidence: confidence,
        ...(isDoubtful ? { doubtful: true } : {}),
        ...(language === undefined ? {} : { language }),
      },
    });
  }

  #callerIdle({ startMs, endMs }: EventOf<"caller-idle">): void {
    const item_id = newId("item");
    this.#options.send("input_audio_buffer.timeout_triggered", {
      audio_start_ms: Math.round(startMs),
      audio_end_ms: Math.round(endMs),
      item_id,
    });
    this.#addSpoken(item_id, `item ${item_id}`);
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
    const spent = { heardMs: this.#heardMs, readChars: this.#readChars };
    const emotion = this.#emotion;
    this.#heardMs = 0;
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

  /** Failures of a reply are explained above. A failed emotion or end-of-turn model changes little, and some clients hang up at any error. */
  #failure({ stage, code, turn }: EventOf<"failure">): void {
    const user = turn === undefined ? undefined : this.#turns.get(turn);
    if (stage === "stt" && user !== undefined) user.failure = code;
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
  const error = cause === "LLM_PROMPT_TOO_LONG" ? TOO_LONG : { ...FAILED, code: lower(code) };
  return { status: "failed", status_details: { type: "failed", error } };
}
const FAILED = { type: "server_error", message: "The reply could not be written or spoken; try again." };
const TOO_LONG = {
  type: "invalid_request_error",
  code: "llm_prompt_too_long",
  message: "Instructions, tools and the newest words do not fit into the model's context; shorten them.",
};

const lower = (code: string): string => code.toLowerCase();

const spoken = (id: string, transcript: string | null): Item => ({
  id,
  object: "realtime.item",
  type: "message",
  status: "completed",
  role: "user",
  content: [{ type: "input_audio", transcript }],
});

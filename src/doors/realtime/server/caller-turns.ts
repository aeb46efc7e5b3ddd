import type { FailureCode, SessionEvent } from "../../../conversation/events.ts";
import { turnKey } from "../../../conversation/reply/text/history.ts";
import { newId } from "../items/ids.ts";
import type { ItemList } from "../items/item-list.ts";
import type { Item } from "../items/items.ts";
import type { SessionConfig } from "../session/session-config.ts";
import type { SendEvent } from "./server-events.ts";

export interface CallerTurnsOptions {
  readonly send: SendEvent;
  readonly items: ItemList;
  readonly config: () => SessionConfig;
  /** Audio before the first voice that belongs to a turn, ms. */
  readonly leadInMs: () => number;
  /** The words of a turn whose item the client has deleted leave the prompt. */
  readonly forget: (key: string) => void;
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

/** Encodes the caller's turns: the events of the audio buffer, and the items of their speech. */
export class CallerTurns {
  readonly #options: CallerTurnsOptions;
  readonly #turns = new Map<number, UserTurn>();
  /** End of the last turn. */
  #committedMs = 0;
  #heardMs = 0;

  constructor(options: CallerTurnsOptions) {
    this.#options = options;
  }

  /** Length of the turns since the last call, ms. */
  takeHeardMs(): number {
    const heardMs = this.#heardMs;
    this.#heardMs = 0;
    return heardMs;
  }

  /** Returns true when `speech_started` was sent. */
  started({ turn, startMs }: EventOf<"turn-started">): boolean {
    const isAnnounced = this.#options.config().audio.input.turn_detection !== null;
    const itemId = newId("item");
    // A turn that was not committed by now was dropped.
    for (const [earlier, { isCommitted }] of this.#turns) if (!isCommitted) this.#turns.delete(earlier);
    this.#turns.set(turn, { itemId, isAnnounced, isCommitted: false, seconds: 0 });
    if (!isAnnounced) return false;
    const audio_start_ms = Math.round(Math.max(this.#committedMs, startMs - this.#options.leadInMs()));
    this.#options.send("input_audio_buffer.speech_started", { audio_start_ms, item_id: itemId });
    return true;
  }

  committed({ turn, startMs, endMs }: EventOf<"turn-committed">): void {
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

  ended({ turn, transcript, confidence, language }: EventOf<"turn-ended">): void {
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
      const error = {
        type: "server_error",
        code: user.failure.toLowerCase(),
        message: "Speech could not be recognised.",
      };
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

  idle({ startMs, endMs }: EventOf<"caller-idle">): void {
    const item_id = newId("item");
    this.#options.send("input_audio_buffer.timeout_triggered", {
      audio_start_ms: Math.round(startMs),
      audio_end_ms: Math.round(endMs),
      item_id,
    });
    this.#addSpoken(item_id, `item ${item_id}`);
  }

  /** Speech of the turn could not be recognised. */
  failed({ stage, code, turn }: EventOf<"failure">): void {
    const user = turn === undefined ? undefined : this.#turns.get(turn);
    if (stage === "stt" && user !== undefined) user.failure = code;
  }
}

const spoken = (id: string, transcript: string | null): Item => ({
  id,
  object: "realtime.item",
  type: "message",
  status: "completed",
  role: "user",
  content: [{ type: "input_audio", transcript }],
});

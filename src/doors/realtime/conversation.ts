import type { VoiceSession } from "../../conversation/session-interface.ts";
import { History, type Place } from "../../conversation/reply/history.ts";
import type { ChatMessage } from "../../engines/llm/language-model.ts";
import type { ClientEvent, ClientEventOf, Refusal, ResponseParams } from "./client-events.ts";
import type { RealtimeEncoder } from "./encode.ts";
import { newId } from "./ids.ts";
import type { ItemList } from "./item-list.ts";
import { itemOf, promptOf, type Item } from "./items.ts";
import type { SendEvent } from "./server-events.ts";
import type { SessionConfig } from "./session-config.ts";
import { decodeReply } from "./session-settings.ts";

/** A client's clock and ours: a position this far beyond the audio counts as its end. */
const POSITION_SLACK_MS = 100;

export interface ConversationOptions {
  readonly send: SendEvent;
  readonly items: ItemList;
  readonly encoder: RealtimeEncoder;
  readonly config: () => SessionConfig;
  readonly refuse: (refusal: Omit<Refusal, "eventId"> & Partial<Refusal>) => void;
}

/** The events by which a client edits the conversation and asks for responses. */
type ConversationEvent = Exclude<
  ClientEvent,
  { type: "session.update" | "input_audio_buffer.append" | "input_audio_buffer.commit" | "input_audio_buffer.clear" }
>;

/** Carries out what a client does to the conversation: items and responses. */
export class Conversation {
  readonly #options: ConversationOptions;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get refuse(): ConversationOptions["refuse"] {
    return this.#options.refuse;
  }

  take(session: VoiceSession, event: ConversationEvent): void {
    switch (event.type) {
      case "conversation.item.create":
        return this.#create(session, event);
      case "conversation.item.retrieve": {
        const item = this.#find(event, "item_retrieve_invalid_item_id")?.item;
        if (item !== undefined) this.#options.send("conversation.item.retrieved", { item });
        return;
      }
      case "conversation.item.truncate":
        return this.#truncate(session, event);
      case "conversation.item.delete": {
        const kept = this.#find(event, "item_delete_invalid_item_id");
        if (kept === undefined) return;
        session.history.remove(kept.key);
        this.#options.items.remove(event.item_id);
        return this.#options.send("conversation.item.deleted", { item_id: event.item_id });
      }
      case "response.create":
        return this.#respond(session, event);
      case "response.cancel":
        return this.#cancel(session, event);
    }
  }

  #create(
    session: VoiceSession,
    { item: wanted, previous_item_id: after, event_id }: ClientEventOf<"conversation.item.create">,
  ): void {
    const { send, items, encoder } = this.#options;
    const id = wanted.id ?? newId("item");
    const eventId = event_id ?? null;
    if (items.find(id) !== undefined)
      return this.refuse({
        code: "item_create_duplicate_item_id",
        message: `An item has the id ${id}.`,
        param: "item.id",
        eventId,
      });
    const previous = after === undefined || after === null || after === "root" ? undefined : items.find(after);
    if (typeof after === "string" && after !== "root" && previous === undefined) {
      const message = `No item has the id ${after}.`;
      return this.refuse({ code: "item_create_invalid_previous_item_id", message, param: "previous_item_id", eventId });
    }
    const item = itemOf(wanted, id);
    const { role, content } = promptOf(item);
    const key = `item ${id}`;
    const place: Place = after === "root" ? "front" : previous === undefined ? "end" : { after: previous.key };
    session.history.insert({ key, role, text: content, note: "" }, place);
    encoder.read(content.length);
    items.add({ item, key }, after === "root" ? null : (after ?? undefined));
    const previous_item_id = items.before(id);
    send("conversation.item.added", { item, previous_item_id });
    send("conversation.item.done", { item, previous_item_id });
  }

  /** Keeps of a spoken reply what the caller has heard. A reply that goes on ends there. */
  #truncate(session: VoiceSession, event: ClientEventOf<"conversation.item.truncate">): void {
    const { send, items } = this.#options;
    const { item_id, content_index, audio_end_ms } = event;
    const kept = this.#find(event, "item_truncate_invalid_item_id");
    if (kept === undefined) return;
    const refuse = (message: string, param: string) =>
      this.refuse({ code: "invalid_value", message, param, eventId: event.event_id ?? null });
    const { item, audioMs } = kept;
    if (item.type !== "message" || item.role !== "assistant" || audioMs === undefined)
      return refuse("Only replies that the server spoke can be truncated.", "item_id");
    if (audio_end_ms > audioMs + POSITION_SLACK_MS)
      return refuse(`Audio of ${audioMs.toFixed(0)} ms is shorter than ${audio_end_ms.toFixed(0)} ms.`, "audio_end_ms");
    if (item.status === "in_progress") session.stopReply();
    const heard = session.history.truncate(kept.key, audio_end_ms);
    const transcript = heard ?? "";
    kept.item = { ...kept.item, content: [{ type: "output_audio", transcript }] } as Item;
    kept.audioMs = Math.min(audioMs, audio_end_ms);
    if (items.find(item_id) !== undefined)
      send("conversation.item.truncated", { item_id, content_index, audio_end_ms: Math.round(audio_end_ms) });
  }

  #respond(session: VoiceSession, { response: params = {}, event_id }: ClientEventOf<"response.create">): void {
    const { encoder } = this.#options;
    if (encoder.active !== undefined) {
      const message = "A response is in progress; cancel it, or wait for response.done.";
      return this.refuse({ code: "conversation_already_has_active_response", message, eventId: event_id ?? null });
    }
    const messages = params.input === undefined ? undefined : this.#messagesOf(params.input, event_id ?? null);
    if (params.input !== undefined && messages === undefined) return;
    encoder.ask(params);
    session.respond({
      instructions: params.instructions,
      messages,
      isKept: params.conversation !== "none",
      settings: decodeReply(params),
    });
  }

  /** Undefined after a refusal. */
  #messagesOf(input: NonNullable<ResponseParams["input"]>, eventId: string | null): readonly ChatMessage[] | undefined {
    const history = new History();
    for (const entry of input) {
      const item = entry.type === "item_reference" ? this.#options.items.find(entry.id)?.item : itemOf(entry, "");
      if (item === undefined) {
        this.refuse({
          code: "invalid_value",
          message: "An item_reference names no item.",
          param: "response.input",
          eventId,
        });
        return undefined;
      }
      const { role, content } = promptOf(item);
      history.insert({ key: "", role, text: content, note: "" });
    }
    return history.prompt("").slice(1);
  }

  #cancel(session: VoiceSession, { response_id, event_id }: ClientEventOf<"response.cancel">): void {
    const { encoder } = this.#options;
    const { active } = encoder;
    if (active === undefined || (typeof response_id === "string" && response_id !== active)) {
      const message = "Cancellation failed: no active response found.";
      return this.refuse({ code: "response_cancel_not_active", message, eventId: event_id ?? null });
    }
    session.stopReply();
    encoder.cancelAsked();
  }

  #find({ item_id, event_id }: { readonly item_id: string; readonly event_id?: string }, code: string) {
    const kept = this.#options.items.find(item_id);
    if (kept === undefined)
      this.refuse({
        code,
        message: `No item has the id ${item_id.slice(0, 64)}.`,
        param: "item_id",
        eventId: event_id ?? null,
      });
    return kept;
  }
}

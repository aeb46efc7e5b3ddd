import type { VoiceSession } from "../../../conversation/session/session-interface.ts";
import { History, type Position } from "../../../conversation/reply/text/history.ts";
import type { ChatMessage } from "../../../engines/llm/language-model.ts";
import type { ClientEvent, ClientEventOf, Refuse } from "./client-events.ts";
import type { ResponseParams } from "../session/response-params.ts";
import type { RealtimeEncoder } from "../server/encode.ts";
import { newId } from "../items/ids.ts";
import type { ItemList } from "../items/item-list.ts";
import { addTo, itemOf, keyOf, textOf, typedText, type Item } from "../items/items.ts";
import type { SendEvent } from "../server/server-events.ts";
import type { SessionConfig } from "../session/session-config.ts";
import { decodeReply } from "../session/session-settings.ts";

/** A client's clock and ours: a position this far beyond the audio counts as its end. */
const POSITION_SLACK_MS = 100;

export interface ConversationOptions {
  readonly send: SendEvent;
  readonly items: ItemList;
  readonly encoder: RealtimeEncoder;
  readonly config: () => SessionConfig;
  readonly refuse: Refuse;
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
        const { item } = kept;
        if (item.status === "in_progress") session.stopReply();
        if (item.type === "function_call_output") session.history.setResult(item.call_id, undefined);
        else session.history.remove(kept.key);
        this.#options.items.remove(event.item_id);
        return this.#options.send("conversation.item.deleted", { item_id: event.item_id });
      }
      case "response.create":
        return this.#respond(session, event);
      case "response.cancel":
        return this.#cancel(session, event);
    }
  }

  #create(session: VoiceSession, event: ClientEventOf<"conversation.item.create">): void {
    const { send, items, encoder, refuse } = this.#options;
    const { item: wanted, previous_item_id: after } = event;
    const id = wanted.id ?? newId("item");
    if (items.find(id) !== undefined)
      return refuse(event, "item_create_duplicate_item_id", `An item has the id ${id}.`, "item.id");
    const previous = after === undefined || after === null || after === "root" ? undefined : items.find(after);
    if (typeof after === "string" && after !== "root" && previous === undefined)
      return refuse(event, "item_create_invalid_previous_item_id", `No item has the id ${after}.`, "previous_item_id");
    const item = itemOf(wanted, id);
    const key = keyOf(item);
    const place: Position = after === "root" ? "front" : previous === undefined ? "end" : { after: previous.key };
    const isKnown = item.type !== "function_call_output" || items.hasCall(item.call_id);
    if (!isKnown || !addTo(session.history, item, key, place)) {
      const message = "No function_call of the conversation has this call_id. Add the call before its output.";
      return refuse(event, "invalid_tool_call_id", message, "item.call_id");
    }
    const typed = typedText(item);
    if (typed !== "") session.recording?.typed(typed, "text");
    encoder.read(textOf(item).length);
    items.add({ item, key }, after === "root" ? null : (after ?? undefined));
    const previous_item_id = items.before(id);
    send("conversation.item.added", { item, previous_item_id });
    send("conversation.item.done", { item, previous_item_id });
  }

  /** Keeps of a spoken reply what the caller has heard. A reply that goes on ends there. */
  #truncate(session: VoiceSession, event: ClientEventOf<"conversation.item.truncate">): void {
    const { send, items, refuse } = this.#options;
    const { item_id, content_index, audio_end_ms } = event;
    const kept = this.#find(event, "item_truncate_invalid_item_id");
    if (kept === undefined) return;
    const { item, audioMs } = kept;
    if (item.type !== "message" || item.role !== "assistant" || audioMs === undefined)
      return refuse(event, "invalid_value", "Only replies that the server spoke can be truncated.", "item_id");
    if (audio_end_ms > audioMs + POSITION_SLACK_MS) {
      const message = `Audio of ${audioMs.toFixed(0)} ms is shorter than ${audio_end_ms.toFixed(0)} ms.`;
      return refuse(event, "invalid_value", message, "audio_end_ms");
    }
    if (item.status === "in_progress") session.stopReply();
    const heard = session.history.truncate(kept.key, audio_end_ms);
    const transcript = heard ?? "";
    kept.item = { ...kept.item, content: [{ type: "output_audio", transcript }] } as Item;
    kept.audioMs = Math.min(audioMs, audio_end_ms);
    if (items.find(item_id) !== undefined)
      send("conversation.item.truncated", { item_id, content_index, audio_end_ms: Math.round(audio_end_ms) });
  }

  #respond(session: VoiceSession, event: ClientEventOf<"response.create">): void {
    const { encoder, refuse } = this.#options;
    const { response: params = {} } = event;
    if (encoder.active !== undefined) {
      const message = "A response is in progress; cancel it, or wait for response.done.";
      return refuse(event, "conversation_already_has_active_response", message);
    }
    const messages = params.input === undefined ? undefined : this.#messagesOf(params.input);
    if (params.input !== undefined && messages === undefined)
      return refuse(event, "invalid_value", "An item_reference names no item, or an output no call.", "response.input");
    const isSide = params.conversation === "none";
    const request = { instructions: params.instructions, messages, isSide, settings: decodeReply(params) };
    encoder.ask(params, () => session.respond(request));
  }

  /** Undefined when a reference names no item, or an output no call. */
  #messagesOf(input: NonNullable<ResponseParams["input"]>): readonly ChatMessage[] | undefined {
    const history = new History();
    for (const entry of input) {
      const item = entry.type === "item_reference" ? this.#options.items.find(entry.id)?.item : itemOf(entry, "");
      if (item === undefined || !addTo(history, item, "")) return undefined;
    }
    return history.prompt("").slice(1);
  }

  #cancel(session: VoiceSession, event: ClientEventOf<"response.cancel">): void {
    const { encoder, refuse } = this.#options;
    const { active } = encoder;
    if (active === undefined || (event.response_id ?? active) !== active)
      return refuse(event, "response_cancel_not_active", "Cancellation failed: no active response found.");
    session.stopReply();
  }

  #find(event: { readonly item_id: string; readonly event_id?: string }, code: string) {
    const { items, refuse } = this.#options;
    const kept = items.find(event.item_id);
    if (kept === undefined) refuse(event, code, `No item has the id ${event.item_id.slice(0, 64)}.`, "item_id");
    return kept;
  }
}

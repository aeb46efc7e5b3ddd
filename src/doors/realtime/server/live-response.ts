import { bytesPerMs, WireEncoder } from "../../../audio/wire-audio.ts";
import { wireFormat, type AudioFormat } from "../session/audio-formats.ts";
import type { ToolCall } from "../../../engines/llm/language-model.ts";
import { toolCallKey } from "../../../conversation/reply/text/history.ts";
import { newId } from "../items/ids.ts";
import type { ItemList } from "../items/item-list.ts";
import type { ContentPart, Item, ItemStatus } from "../items/items.ts";
import type { RealtimeResponse, SendEvent } from "./server-events.ts";
import { usageOf, type Spent } from "./usage.ts";

export type Ending = Pick<RealtimeResponse, "status" | "status_details">;

export interface LiveResponseOptions {
  /** Its name in the session's history. */
  readonly key: string;
  readonly send: SendEvent;
  /** Undefined: the response is not part of the conversation. */
  readonly items: ItemList | undefined;
  readonly response: Pick<RealtimeResponse, "conversation_id" | "output_modalities" | "max_output_tokens" | "metadata">;
  /** Read at the first audio: a greeting begins before the client's first `session.update`. */
  readonly format: () => AudioFormat;
  readonly voice: unknown;
  readonly emotion: Readonly<Record<string, number>> | undefined;
  readonly spent: Pick<Spent, "heardMs" | "readChars">;
}

/** One response and the only item of its output, a message. Sends its events in the order that clients rely on. */
export class LiveResponse {
  readonly id = newId("resp");
  readonly itemId = newId("item");
  readonly #options: LiveResponseOptions;
  #format: AudioFormat | undefined;
  #encoder: WireEncoder | undefined;
  #text = "";
  #bytes = 0;
  #hasItem = false;
  readonly #calls: ToolCall[] = [];

  constructor(options: LiveResponseOptions) {
    this.#options = options;
    const { emotion, send } = options;
    const extras = emotion === undefined ? {} : { oakvoice: { emotion } };
    send("response.created", { response: this.#response({ status: "in_progress", status_details: null }), ...extras });
  }

  text(delta: string): void {
    if (delta === "") return;
    this.#begin();
    this.#text += delta;
    const { send } = this.#options;
    if (this.#isSpoken) send("response.output_audio_transcript.delta", { ...this.#place, delta });
    else send("response.output_text.delta", { ...this.#place, delta });
  }

  /** A call is sent when the speech before it has been played, and only if the caller did not interrupt it. */
  call(call: ToolCall): void {
    this.#calls.push(call);
  }

  audio(pcm: Int16Array): void {
    this.#begin();
    this.#format ??= this.#options.format();
    this.#encoder ??= new WireEncoder(wireFormat(this.#format));
    this.#sendAudio(this.#encoder.encode(pcm));
  }

  end(ending: Ending): void {
    const { send } = this.#options;
    const output: Item[] = [];
    if (this.#hasItem) output.push(this.#endItem(ending.status === "completed" ? "completed" : "incomplete"));
    if (ending.status === "completed" || ending.status === "incomplete")
      for (const call of this.#calls) output.push(this.#sendCall(call, output.length));
    send("response.done", { response: this.#response(ending, output) });
  }

  get #isSpoken(): boolean {
    return this.#options.response.output_modalities[0] === "audio";
  }

  get #place() {
    return { response_id: this.id, item_id: this.itemId, output_index: 0, content_index: 0 };
  }

  get #audioMs(): number {
    return this.#format === undefined ? 0 : this.#bytes / bytesPerMs(wireFormat(this.#format));
  }

  #begin(): void {
    if (this.#hasItem) return;
    this.#hasItem = true;
    const { send, items, key } = this.#options;
    const item = this.#item("in_progress", []);
    const previous_item_id = items?.lastId ?? null;
    items?.add(this.#isSpoken ? { item, key, audioMs: 0 } : { item, key });
    send("response.output_item.added", { response_id: this.id, output_index: 0, item });
    if (items !== undefined) send("conversation.item.added", { item, previous_item_id });
    const part = this.#isSpoken ? { type: "audio" as const, transcript: "" } : { type: "text" as const, text: "" };
    send("response.content_part.added", { ...this.#place, part });
  }

  #sendAudio(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#bytes += bytes.length;
    const kept = this.#options.items?.find(this.itemId);
    if (kept !== undefined) kept.audioMs = this.#audioMs;
    const delta = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    this.#options.send("response.output_audio.delta", { ...this.#place, delta });
  }

  #endItem(status: ItemStatus): Item {
    const { send, items } = this.#options;
    const text = this.#text;
    let content: ContentPart;
    if (this.#isSpoken) {
      if (this.#encoder !== undefined) this.#sendAudio(this.#encoder.flush());
      send("response.output_audio.done", this.#place);
      send("response.output_audio_transcript.done", { ...this.#place, transcript: text });
      send("response.content_part.done", { ...this.#place, part: { type: "audio", transcript: text } });
      content = { type: "output_audio", transcript: text };
    } else {
      send("response.output_text.done", { ...this.#place, text });
      send("response.content_part.done", { ...this.#place, part: { type: "text", text } });
      content = { type: "output_text", text };
    }
    const item = this.#item(status, [content]);
    send("response.output_item.done", { response_id: this.id, output_index: 0, item });
    const kept = items?.find(this.itemId);
    if (kept !== undefined) {
      kept.item = item;
      send("conversation.item.done", { item, previous_item_id: items?.before(this.itemId) ?? null });
    }
    return item;
  }

  #sendCall({ id: call_id, name, arguments: args }: ToolCall, output_index: number): Item {
    const { send, items } = this.#options;
    const head = { id: newId("item"), object: "realtime.item", type: "function_call", call_id, name } as const;
    const [begun, done] = [
      { ...head, status: "in_progress" as const, arguments: "" },
      { ...head, status: "completed" as const, arguments: args },
    ];
    const previous_item_id = items?.lastId ?? null;
    items?.add({ item: done, key: toolCallKey(call_id) });
    const where = { response_id: this.id, output_index };
    const part = { ...where, item_id: head.id, call_id };
    send("response.output_item.added", { ...where, item: begun });
    if (items !== undefined) send("conversation.item.added", { item: begun, previous_item_id });
    send("response.function_call_arguments.delta", { ...part, delta: args });
    send("response.function_call_arguments.done", { ...part, name, arguments: args });
    send("response.output_item.done", { ...where, item: done });
    if (items !== undefined) send("conversation.item.done", { item: done, previous_item_id });
    return done;
  }

  #item(status: ItemStatus, content: readonly ContentPart[]): Item {
    return { id: this.itemId, object: "realtime.item", type: "message", status, role: "assistant", content };
  }

  #response(ending: Ending, output: readonly Item[] = []): RealtimeResponse {
    const { response, voice, spent } = this.#options;
    const format = this.#format ?? this.#options.format();
    const isDone = ending.status !== "in_progress";
    return {
      object: "realtime.response",
      id: this.id,
      ...ending,
      output,
      ...response,
      audio: { output: { format, voice } },
      usage: isDone ? usageOf({ ...spent, spokenMs: this.#audioMs, writtenChars: this.#text.length }) : null,
    };
  }
}

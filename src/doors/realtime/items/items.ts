import { z } from "zod";
import { toolCallKey, type Position } from "../../../conversation/reply/text/history.ts";
import type { VoiceSession } from "../../../conversation/session/session-interface.ts";
import { boundedText } from "../../../shared/schema/bounded-text.ts";

/** OpenAI's limit. */
export const itemIdSchema = z.string().min(1).max(32);
/** Text of one part; a message of the prompt keeps less. */
const text = boundedText(16_000);
const idField = { id: z.exactOptional(itemIdSchema) };

const spokenPart = z.object({
  type: z.enum(["input_audio", "output_audio", "audio"]),
  transcript: z.string("audio in an item needs its transcript; send speech with input_audio_buffer.append").max(16_000),
});
const writtenPart = z.object({ type: z.enum(["input_text", "output_text", "text"]), text });

const messageSchema = z.object({
  ...idField,
  type: z.literal("message"),
  role: z.enum(["user", "assistant", "system"]),
  content: z.array(z.discriminatedUnion("type", [spokenPart, writtenPart])).max(16),
});

const functionCallSchema = z.object({
  ...idField,
  type: z.literal("function_call"),
  call_id: z.exactOptional(boundedText(64)),
  name: boundedText(128),
  arguments: text,
});

const functionOutputSchema = z.object({
  ...idField,
  type: z.literal("function_call_output"),
  call_id: boundedText(64),
  output: text,
});

/** An item that a client may add. */
export const newItemSchema = z.discriminatedUnion("type", [messageSchema, functionCallSchema, functionOutputSchema]);
export type NewItem = z.output<typeof newItemSchema>;

export interface ContentPart {
  readonly type: "input_text" | "input_audio" | "output_text" | "output_audio";
  readonly text?: string;
  readonly transcript?: string | null;
}

/** An item as the server sends it. */
export type Item = { readonly id: string; readonly object: "realtime.item"; readonly status: ItemStatus } & (
  | {
      readonly type: "message";
      readonly role: "user" | "assistant" | "system";
      readonly content: readonly ContentPart[];
    }
  | {
      readonly type: "function_call";
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: string }
);

export type ItemStatus = "in_progress" | "completed" | "incomplete";

export function itemOf(item: NewItem, id: string): Item {
  const head = { id, object: "realtime.item", status: "completed" } as const;
  switch (item.type) {
    case "message": {
      const side = item.role === "assistant" ? "output" : "input";
      const content = item.content.map((part): ContentPart =>
        "transcript" in part
          ? { type: `${side}_audio`, transcript: part.transcript }
          : { type: `${side}_text`, text: part.text },
      );
      return { ...head, type: "message", role: item.role, content };
    }
    case "function_call":
      return { ...head, ...item, id, call_id: item.call_id ?? id };
    case "function_call_output":
      return { ...head, ...item, id };
  }
}

/** Gives the item to the language model. Returns false when an output's call is not known. */
export function addTo(history: VoiceSession["history"], item: Item, key: string, place?: Position): boolean {
  switch (item.type) {
    case "message": {
      // The model knows callers and replies.
      const role = item.role === "assistant" ? "assistant" : "user";
      const words = textOf(item);
      history.insert({ key, role, text: item.role === "system" ? `(${words})` : words, note: "" }, place);
      return true;
    }
    case "function_call":
      history.insertCall({ ...item, id: item.call_id }, place);
      return true;
    case "function_call_output":
      return history.setResult(item.call_id, item.output);
  }
}

/** The entry of the history that `remove` takes out with the item. */
export const keyOf = (item: Item): string =>
  item.type === "function_call" ? toolCallKey(item.call_id) : `item ${item.id}`;

/** The part of the item that the language model reads. */
export function textOf(item: Item): string {
  switch (item.type) {
    case "message":
      return item.content.map((part) => part.text ?? part.transcript ?? "").join("\n");
    case "function_call":
      return `${item.name} ${item.arguments}`;
    case "function_call_output":
      return item.output;
  }
}

/** The text that the caller typed, without what they said. Empty for other items. */
export const typedText = (item: Item): string =>
  item.type === "message" && item.role === "user" ? item.content.flatMap((part) => part.text ?? []).join(" ") : "";

import { z } from "zod";
import { firstError } from "../../../shared/schema/field-errors.ts";
import { hasTooManyParts, isTooDeep } from "../../nesting.ts";
import { itemIdSchema, newItemSchema } from "../items/items.ts";
import { unknownFields } from "./unknown-fields.ts";
import { responseParamsSchema } from "../session/response-params.ts";
import { sessionPatchSchema } from "../session/session-config.ts";

const event_id = z.exactOptional(z.string().max(512));
const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), event_id, ...shape });

/** Every event that a client may send over a WebSocket. Unknown fields are dropped and reported. */
export const CLIENT_EVENTS = {
  "session.update": event("session.update", { session: sessionPatchSchema }),
  "input_audio_buffer.append": event("input_audio_buffer.append", { audio: z.string() }),
  "input_audio_buffer.commit": event("input_audio_buffer.commit", {}),
  "input_audio_buffer.clear": event("input_audio_buffer.clear", {}),
  "conversation.item.create": event("conversation.item.create", {
    item: newItemSchema,
    /** Absent or null: at the end; "root": at the front. */
    previous_item_id: z.exactOptional(itemIdSchema.nullable()),
  }),
  "conversation.item.retrieve": event("conversation.item.retrieve", { item_id: z.string() }),
  "conversation.item.truncate": event("conversation.item.truncate", {
    item_id: z.string(),
    content_index: z.literal(0, "only content_index 0 holds audio"),
    audio_end_ms: z.number().min(0),
  }),
  "conversation.item.delete": event("conversation.item.delete", { item_id: z.string() }),
  "response.create": event("response.create", { response: z.exactOptional(responseParamsSchema) }),
  "response.cancel": event("response.cancel", { response_id: z.exactOptional(z.string().nullable()) }),
};

type ClientEventType = keyof typeof CLIENT_EVENTS;
export type ClientEvent = { [Type in ClientEventType]: z.output<(typeof CLIENT_EVENTS)[Type]> }[ClientEventType];
export type ClientEventOf<Type extends ClientEventType> = Extract<ClientEvent, { type: Type }>;

/** Why an event was refused. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly eventId: string | null;
}
/** Refuses an event that was parsed. */
export type Refuse = (event: { readonly event_id?: string }, code: string, message: string, param?: string) => void;

export type ParsedClientEvent =
  | { readonly ok: ClientEvent; readonly unknown: readonly string[]; readonly refusal?: never }
  | { readonly refusal: Refusal; readonly ok?: never };

/** One text frame. Never throws. */
export function parseClientEvent(text: string): ParsedClientEvent {
  if (hasTooManyParts(text)) return refuse("invalid_event", "The event has too many parts.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("invalid_json", "A text frame must hold one JSON object.");
  }
  try {
    return parseValue(value);
  } catch {
    // zod reads `.length` of values that are not strings; `{length: {}}` makes that comparison throw.
    return refuse("invalid_event", "The event holds values that cannot be read.", eventIdOf(value));
  }
}

const FOR_WEBRTC =
  "output_audio_buffer.clear is for WebRTC. Over a WebSocket the client stops its own playback, and sends response.cancel.";

function parseValue(value: unknown): ParsedClientEvent {
  const eventId = eventIdOf(value);
  const head = z.object({ type: z.string() }).safeParse(value);
  if (!head.success) return refuse("invalid_event", "The event must be a JSON object with a type.", eventId, "type");
  const { type } = head.data;
  if (isTooDeep(value)) return refuse("invalid_event", "The event is nested too deeply.", eventId);
  if (type === "output_audio_buffer.clear") return refuse("unknown_event_type", FOR_WEBRTC, eventId, "type");
  if (!Object.hasOwn(CLIENT_EVENTS, type)) {
    const known = Object.keys(CLIENT_EVENTS).join(", ");
    return refuse(
      "unknown_event_type",
      `Unknown type ${JSON.stringify(type.slice(0, 64))}; known: ${known}.`,
      eventId,
      "type",
    );
  }
  const parsed = CLIENT_EVENTS[type as ClientEventType].safeParse(value);
  if (parsed.success) return { ok: parsed.data, unknown: unknownFields(value, parsed.data) };
  const { field, message } = firstError(parsed.error);
  return refuse("invalid_value", message, eventId, field);
}

function eventIdOf(value: unknown): string | null {
  const parsed = z.object({ event_id: z.string() }).safeParse(value);
  return parsed.success ? parsed.data.event_id.slice(0, 512) : null;
}

const refuse = (
  code: string,
  message: string,
  eventId: string | null = null,
  param: string | null = null,
): ParsedClientEvent => ({ refusal: { code, message, eventId, param } });

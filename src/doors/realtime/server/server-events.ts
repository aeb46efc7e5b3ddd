import { z } from "zod";

const index = z.int().min(0);
const ms = z.int().min(0);
const part = z.object({
  type: z.enum(["text", "audio"]),
  text: z.exactOptional(z.string()),
  transcript: z.exactOptional(z.string()),
});
const contentPart = z.object({
  type: z.enum(["input_text", "input_audio", "output_text", "output_audio"]),
  text: z.exactOptional(z.string()),
  transcript: z.exactOptional(z.string().nullable()),
});
const itemHead = {
  id: z.string(),
  object: z.literal("realtime.item"),
  status: z.enum(["in_progress", "completed", "incomplete"]),
};
const item = z.discriminatedUnion("type", [
  z.object({
    ...itemHead,
    type: z.literal("message"),
    role: z.enum(["user", "assistant", "system"]),
    content: z.array(contentPart).readonly(),
  }),
  z.object({
    ...itemHead,
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({ ...itemHead, type: z.literal("function_call_output"), call_id: z.string(), output: z.string() }),
]);
const previous_item_id = z.string().nullable();

const usage = z.object({
  total_tokens: index,
  input_tokens: index,
  output_tokens: index,
  input_token_details: z.object({
    text_tokens: index,
    audio_tokens: index,
    image_tokens: index,
    cached_tokens: index,
    cached_tokens_details: z.object({ text_tokens: index, audio_tokens: index, image_tokens: index }),
  }),
  output_token_details: z.object({ text_tokens: index, audio_tokens: index }),
});

const response = z.object({
  object: z.literal("realtime.response"),
  id: z.string(),
  conversation_id: z.string().nullable(),
  status: z.enum(["in_progress", "completed", "cancelled", "failed", "incomplete"]),
  status_details: z
    .object({
      type: z.enum(["completed", "cancelled", "failed", "incomplete"]),
      reason: z.exactOptional(z.enum(["turn_detected", "client_cancelled", "max_output_tokens"])),
      error: z.exactOptional(z.object({ type: z.string(), code: z.string(), message: z.string() })),
    })
    .nullable(),
  output: z.array(item).readonly(),
  output_modalities: z.array(z.enum(["audio", "text"])).readonly(),
  audio: z.object({ output: z.object({ format: z.object({ type: z.string() }).loose(), voice: z.unknown() }) }),
  max_output_tokens: z.union([z.int(), z.literal("inf")]),
  metadata: z.record(z.string(), z.string()).nullable(),
  usage: usage.nullable(),
});
export type RealtimeResponse = z.output<typeof response>;

const error = z.object({
  type: z.string(),
  code: z.string().nullable(),
  message: z.string(),
  param: z.string().nullable(),
  event_id: z.string().nullable(),
});

const word = z.object({ word: z.string(), start: z.number(), end: z.number(), confidence: z.number() });
/** Where a part of a response's output belongs. */
const place = { response_id: z.string(), item_id: z.string(), output_index: index, content_index: index };
const call = { response_id: z.string(), item_id: z.string(), output_index: index, call_id: z.string() };
const outputItem = { response_id: z.string(), output_index: index, item };

/** The fields of every event that the server sends, beside `type` and `event_id`. */
export const SERVER_EVENTS = {
  "session.created": z.object({ session: z.looseObject({ type: z.literal("realtime"), id: z.string() }) }),
  "session.updated": z.object({ session: z.looseObject({ type: z.literal("realtime"), id: z.string() }) }),
  error: z.object({ error, oakvoice: z.exactOptional(z.object({ suppressed_errors: index })) }),
  "input_audio_buffer.speech_started": z.object({ audio_start_ms: ms, item_id: z.string() }),
  "input_audio_buffer.speech_stopped": z.object({ audio_end_ms: ms, item_id: z.string() }),
  "input_audio_buffer.committed": z.object({ item_id: z.string(), previous_item_id }),
  "input_audio_buffer.cleared": z.object({}),
  "input_audio_buffer.timeout_triggered": z.object({ audio_start_ms: ms, audio_end_ms: ms, item_id: z.string() }),
  "conversation.item.added": z.object({ item, previous_item_id }),
  "conversation.item.done": z.object({ item, previous_item_id }),
  "conversation.item.retrieved": z.object({ item }),
  "conversation.item.deleted": z.object({ item_id: z.string() }),
  "conversation.item.truncated": z.object({ item_id: z.string(), content_index: index, audio_end_ms: ms }),
  "conversation.item.input_audio_transcription.delta": z.object({
    item_id: z.string(),
    content_index: index,
    delta: z.string(),
  }),
  "conversation.item.input_audio_transcription.completed": z.object({
    item_id: z.string(),
    content_index: index,
    transcript: z.string(),
    usage: z.object({ type: z.literal("duration"), seconds: z.number() }),
    oakvoice: z.object({
      words: z.array(word).readonly(),
      confidence: z.number(),
      end_of_turn_confidence: z.number(),
      doubtful: z.exactOptional(z.literal(true)),
      language: z.exactOptional(z.string()),
    }),
  }),
  "conversation.item.input_audio_transcription.failed": z.object({
    item_id: z.string(),
    content_index: index,
    error: error.pick({ type: true, message: true }).extend({ code: z.string() }),
  }),
  "response.created": z.object({
    response,
    oakvoice: z.exactOptional(z.object({ emotion: z.record(z.string(), z.number()) })),
  }),
  "response.done": z.object({ response }),
  "response.output_item.added": z.object(outputItem),
  "response.output_item.done": z.object(outputItem),
  "response.content_part.added": z.object({ ...place, part }),
  "response.content_part.done": z.object({ ...place, part }),
  "response.function_call_arguments.delta": z.object({ ...call, delta: z.string() }),
  "response.function_call_arguments.done": z.object({ ...call, name: z.string(), arguments: z.string() }),
  "response.output_text.delta": z.object({ ...place, delta: z.string() }),
  "response.output_text.done": z.object({ ...place, text: z.string() }),
  "response.output_audio.delta": z.object({ ...place, delta: z.string() }),
  "response.output_audio.done": z.object(place),
  "response.output_audio_transcript.delta": z.object({ ...place, delta: z.string() }),
  "response.output_audio_transcript.done": z.object({ ...place, transcript: z.string() }),
};

export type ServerEventType = keyof typeof SERVER_EVENTS;
export type ServerEventData<Type extends ServerEventType> = z.input<(typeof SERVER_EVENTS)[Type]>;
/** Takes one event, without its id. */
export type SendEvent = <Type extends ServerEventType>(type: Type, data: ServerEventData<Type>) => void;

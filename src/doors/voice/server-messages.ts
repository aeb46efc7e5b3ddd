import { CALL_HZ } from "../../audio/format.ts";
import { z } from "zod";
import { SHAPE_A_EMOTIONS, TRACKABLE_EMOTIONS } from "../../config/settings/emotion-names.ts";
import { messageIdSchema } from "./message-id.ts";
import { sessionSettingsSchema } from "../../config/settings/settings-schema.ts";

const fraction = z.number().min(0).max(1);
const seconds = z.number().min(0);
const base64 = z.base64().min(1);

const appliedAudioSchema = z.object({
  sample_rate: z.literal(CALL_HZ),
  channels: z.literal(1),
  encoding: z.literal("linear16"),
});

/** Where a resumed conversation goes on. */
const resumedSchema = z.object({
  /** Messages of the conversation that the language model gets. */
  messages: z.int().min(0),
  /** The caller's words that are not answered yet. The answer follows. */
  unanswered_words: z.exactOptional(z.string()),
  /** The reply that the loss cut. It is said on from the character `continues_at`; without that, a new one is written. */
  reply: z.exactOptional(
    z.object({
      text: z.string(),
      heard_duration: seconds,
      heard_characters: z.int().min(0),
      continues_at: z.exactOptional(z.int().min(0)),
    }),
  ),
  /** Calls of tools that run. The client's own are asked again in `tool_call`, with the same `call_id`. */
  tools: z.array(z.object({ call_id: z.string(), name: z.string(), run_by: z.enum(["client", "server"]) })),
  /** `rings_in`: seconds. */
  timers: z.array(z.object({ kind: z.enum(["timer", "reminder"]), label: z.string(), rings_in: seconds })),
});

/** Additions: a lost conversation can be resumed. */
const resumptionSchema = z.object({
  /** Works once, for `resume_seconds` after the connection is lost. */
  resume_token: z.exactOptional(z.string()),
  resume_seconds: z.exactOptional(seconds),
  /** Only when the client sent a token. False: a new conversation. */
  resumed: z.exactOptional(z.union([z.literal(false), resumedSchema])),
  resume_refused: z.exactOptional(z.enum(["expired", "other_configuration", "unknown", "used"])),
});

export type ResumptionFields = z.output<typeof resumptionSchema>;
export type ResumedState = z.output<typeof resumedSchema>;

const connectionMetadataSchema = z.object({
  ...resumptionSchema.shape,
  connection_id: z.string(),
  status: z.literal("connected"),
  config: appliedAudioSchema.extend({ audio_format: z.literal("pcm_24khz_16bit_mono") }),
  project_id: z.string(),
  config_id: z.string(),
  /** An addition, with the permission `inspect`: names of the models and of the speaker. */
  parts: z.exactOptional(z.object({ stt: z.string(), llm: z.string(), tts: z.string(), voice: z.string() })),
});

const statusSchema = z.discriminatedUnion("status", [
  /** Answer to every accepted `session_settings`. Additions: `applied_settings` (all settings in force), `reply_to`. */
  z.object({
    status: z.literal("ready"),
    details: z.object({
      session_settings: appliedAudioSchema,
      applied_settings: z.exactOptional(sessionSettingsSchema),
      reply_to: z.exactOptional(messageIdSchema),
    }),
  }),
  /** Answer to `keep_alive`. */
  z.object({ status: z.literal("alive"), details: z.object({ reply_to: messageIdSchema }) }),
  /** An addition: the recogniser heard this language. Recognition and replies follow it from now on. */
  z.object({ status: z.literal("language"), details: z.object({ language: z.string() }) }),
  /** An addition: the server stops, and closes the connection within this time. */
  /** Whether a record of the call is kept. "asked": once the caller has said yes. */
  z.object({ status: z.literal("recording"), details: z.object({ state: z.enum(["asked", "on", "off"]) }) }),
  z.object({ status: z.literal("draining"), details: z.object({ closes_in_seconds: z.number() }) }),
]);

export const wordRecordSchema = z.object({ word: z.string(), start: seconds, end: seconds, confidence: fraction });

const transcriptionSchema = z.object({
  transcript: z.string(),
  confidence: fraction,
  is_final: z.boolean(),
  is_speech_final: z.boolean(),
  session_id: z.string(),
  words: z.array(wordRecordSchema),
  accumulated_transcript: z.string(),
  is_turn_incomplete: z.boolean(),
  original_fragment: z.string(),
  /** An addition: the sound was probably no speech, or other words were said. No reply follows. */
  doubtful: z.exactOptional(z.literal(true)),
  /** An addition: the language that the recogniser heard, on finals. */
  language: z.exactOptional(z.string()),
});

const llmResponseChunkSchema = z.object({
  content: z.string(),
  is_final: z.boolean(),
  generation_id: z.string(),
  chunk_index: z.int().min(0),
});

/** Both payload shapes of the interface: A capitalised, B in lower case. */
const emotionUpdateSchema = z.object({
  top_emotions: z.array(z.object({ name: z.enum(SHAPE_A_EMOTIONS), score: fraction })),
  all_emotions: z.partialRecord(z.enum(SHAPE_A_EMOTIONS), fraction),
  processing_time: seconds,
  utterance_duration: seconds,
  connection_id: z.string(),
  session_id: z.string(),
  dominant_emotion: z.enum(TRACKABLE_EMOTIONS),
  confidence: fraction,
  emotions: z.partialRecord(z.enum(TRACKABLE_EMOTIONS), fraction),
});

const turnStartSchema = z.object({ turn_id: z.string(), interrupted_tts: z.boolean() });

const turnEndSchema = z.object({
  turn_id: z.string(),
  duration: seconds,
  is_complete: z.boolean(),
  confidence: fraction,
  transcript: z.string(),
  /** An addition: time between the end of the turn and its words. */
  decode_duration: z.exactOptional(seconds),
});

const turnInterruptedSchema = z.object({
  interruption_type: z.enum(["user_speech", "system_timeout", "silence_timeout"]),
});

const voiceActivitySchema = z.object({
  activity_level: fraction,
  background_noise_level: fraction,
  /** An addition: the sound is a tone of a machine, such as a busy tone, or music without a voice. */
  kind: z.exactOptional(z.enum(["tone", "music"])),
});

const callId = z.string();

/** A tool runs. The client carries it out and sends `tool_result`, or the server does: `arguments` then need the permission `inspect`. */
const toolCallSchema = z.discriminatedUnion("run_by", [
  z.object({
    run_by: z.literal("client"),
    call_id: callId,
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()),
  }),
  z.object({
    run_by: z.literal("server"),
    call_id: callId,
    name: z.string(),
    arguments: z.exactOptional(z.record(z.string(), z.unknown())),
  }),
]);

const toolCallEndSchema = z.object({
  call_id: callId,
  name: z.string(),
  outcome: z.enum(["done", "failed", "cancelled", "refused"]),
  duration: seconds,
  /** The result as the language model reads it. Only with the permission `inspect`. */
  output: z.exactOptional(z.string()),
});

const toolStateSchema = z.object({ tool: z.string(), state: z.unknown() });

/** The assistant ends the call: the connection closes next. */
const callEndSchema = z.object({
  reason: z.string(),
  summary: z.string(),
  /** Where the caller wants to go. Absent: the call is over. */
  transfer_to: z.exactOptional(z.string()),
});

const errorSchema = z.object({
  error_code: z.string(),
  error_message: z.string(),
  details: z.record(z.string(), z.unknown()),
});

const envelope = <const Type extends string>(type: Type) =>
  z.object({ type: z.literal(type), timestamp: z.number(), message_id: z.uuid() });

const withData = <const Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  envelope(type).extend({ data });

/** Every whole message a server sends, for clients and tests. */
export const serverMessageSchema = z.discriminatedUnion("type", [
  withData("connection_metadata", connectionMetadataSchema),
  withData("status", statusSchema),
  withData("transcription", transcriptionSchema),
  withData("llm_response_chunk", llmResponseChunkSchema),
  envelope("tts_chunk").extend({ content: base64 }).strict(),
  withData("emotion_update", emotionUpdateSchema),
  withData("turn_start", turnStartSchema),
  withData("turn_end", turnEndSchema),
  withData("turn_interrupted", turnInterruptedSchema),
  withData("voice_activity", voiceActivitySchema),
  envelope("tts_interruption")
    .extend({ content: z.literal("") })
    .strict(),
  withData("tool_call", toolCallSchema),
  withData("tool_call_end", toolCallEndSchema),
  withData("tool_state", toolStateSchema),
  withData("call_end", callEndSchema),
  withData("error", errorSchema),
]);

export type ServerMessage = z.output<typeof serverMessageSchema>;
export type ServerMessageType = ServerMessage["type"];

/** The payload of each type: its `data`, or `{content}` for the two types that carry it at the top level. */
export type ServerData = {
  [Message in ServerMessage as Message["type"]]: Message extends { data: infer Data }
    ? Data
    : Pick<Extract<Message, { content: string }>, "content">;
};

/** A message without its envelope. */
export type ServerPayload = {
  [Type in ServerMessageType]: { readonly type: Type; readonly data: ServerData[Type] };
}[ServerMessageType];

export function payload<Type extends ServerMessageType>(type: Type, data: ServerData[Type]): ServerPayload {
  return { type, data } as ServerPayload;
}

/**
 * One text frame.
 * @param now Unix time in milliseconds.
 */
export function encodeServerMessage<Type extends ServerMessageType>(
  type: Type,
  data: ServerData[Type],
  now: number,
): string {
  const head = { type, timestamp: Math.round(now) / 1000, message_id: crypto.randomUUID() };
  const isTopLevel = type === "tts_chunk" || type === "tts_interruption";
  const message = isTopLevel ? { ...head, ...data } : { ...head, data };
  return JSON.stringify(message, REPEATS_CLIENT.has(type) ? undefined : rounded);
}

/** These types repeat settings and ids of the client, which must not be rounded. */
const REPEATS_CLIENT: ReadonlySet<ServerMessageType> = new Set(["status", "error"]);

const SECONDS = new Set([
  "timestamp",
  "start",
  "end",
  "duration",
  "processing_time",
  "decode_duration",
  "utterance_duration",
  "heard_duration",
  "rings_in",
]);

/** Times have 3 decimals. Levels, scores and confidences have 4. */
function rounded(key: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  const scale = SECONDS.has(key) ? 1e3 : 1e4;
  return Math.round(value * scale) / scale;
}

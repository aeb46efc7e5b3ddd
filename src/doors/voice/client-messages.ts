import { z } from "zod";
import { bytesOfBase64 } from "../base64.ts";
import { boundedText } from "../../shared/schema/bounded-text.ts";
import { fieldErrors } from "../../shared/schema/field-errors.ts";
import { chunkIdSchema, messageIdSchema, type ChunkId, type MessageId } from "./message-id.ts";
import type { VoiceSession } from "../../conversation/session/session-interface.ts";
import { languageFault } from "../language-fault.ts";
import { spokenText } from "../spoken-text.ts";
import {
  parseSettingsPatch,
  sessionSettingsPatchSchema,
  type SessionSettingsPatch,
} from "../../config/settings/settings-schema.ts";

export type ClientMessage =
  | {
      readonly type: "session_settings";
      readonly messageId: MessageId;
      readonly patch: SessionSettingsPatch;
      /** Settings that stand beside `data`, where they have no effect. */
      readonly misplaced: readonly string[];
    }
  | { readonly type: "audio_input"; readonly pcm: Buffer; readonly about: AboutChunk }
  | { readonly type: "keep_alive"; readonly messageId: MessageId }
  | ({ readonly type: "tool_result"; readonly messageId: MessageId } & z.output<typeof toolResultSchema>)
  | ({ readonly type: "say"; readonly messageId: MessageId } & z.output<typeof saySchema>)
  | ({ readonly type: "text_input"; readonly messageId: MessageId } & z.output<typeof textInputSchema>)
  | ({ readonly type: "recording_consent"; readonly messageId: MessageId } & z.output<typeof recordingConsentSchema>);

export const EMPTY_AUDIO = "The audio chunk is empty.";

/** Names a chunk in the `details` of errors. */
export interface AboutChunk {
  readonly chunk_id?: ChunkId;
  readonly reply_to: MessageId;
}

export type ClientMessageErrorCode =
  "MALFORMED_JSON" | "INVALID_MESSAGE" | "UNKNOWN_MESSAGE_TYPE" | "INVALID_SETTINGS" | "AUDIO_PROCESSING_FAILED";

/** Why a frame was refused; becomes the payload of an `error` message. */
export interface ClientMessageFailure {
  readonly code: ClientMessageErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type ParsedClientMessage =
  | { readonly ok: ClientMessage; readonly failure?: never }
  | { readonly failure: ClientMessageFailure; readonly ok?: never };

export const clientEnvelopeSchema = z.object({
  type: z.string().min(1),
  timestamp: z.number().min(0),
  message_id: messageIdSchema,
  data: z.unknown().optional(),
});

export const audioInputSchema = z.object({ audio: z.string(), chunk_id: z.exactOptional(chunkIdSchema) });

export const toolResultSchema = z.object({
  call_id: z.string().min(1).max(128),
  /** Text for the language model. */
  output: boundedText(16_000),
  is_error: z.boolean().default(false),
});

export const saySchema = z.object({ text: spokenText, when: z.enum(["next", "now"]).default("next") });

/** Words that the caller types in the place of speaking. */
export const textInputSchema = z.object({ text: spokenText });

/** The caller's answer outside the conversation, such as a box that they tick. False also withdraws an earlier yes. */
export const recordingConsentSchema = z.object({ consent: z.boolean() });

const SETTINGS = Object.keys(sessionSettingsPatchSchema.shape);

/** The fields that name a message whose other fields are wrong. */
const messageName = clientEnvelopeSchema.pick({ message_id: true });
const chunkName = audioInputSchema.pick({ chunk_id: true });

const TYPES = "session_settings, audio_input, keep_alive, tool_result, say, text_input, recording_consent";

/** A longer text is audio or an attack. */
const PLAIN_LENGTH = 16_384;
const MOST_PARTS = 4_096;

/** One text frame. Never throws. */
export function parseClientMessage(text: string): ParsedClientMessage {
  if (text.length > PLAIN_LENGTH && hasTooManyParts(text)) {
    return fail("INVALID_MESSAGE", "The message has more parts than any message of the interface.", {});
  }
  try {
    return parseText(text);
  } catch {
    // zod reads `.length` of values that are not strings; `{length: {}}` makes that comparison throw.
    return fail("INVALID_MESSAGE", "The message holds values that cannot be read.", {});
  }
}

/** Parsing half a megabyte of brackets takes 40 ms, while other callers wait. Base64 takes one. */
function hasTooManyParts(text: string): boolean {
  let parts = 0;
  for (const _ of text.matchAll(/[[{,:]/gu)) if ((parts += 1) > MOST_PARTS) return true;
  return false;
}

function parseText(text: string): ParsedClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("MALFORMED_JSON", "A text frame must hold one JSON object.", {});
  }
  const envelope = clientEnvelopeSchema.safeParse(value);
  if (!envelope.success) return invalid(envelope.error, "", replyTo(value));
  const { type, message_id: messageId, data } = envelope.data;
  const reply_to = messageId;
  switch (type) {
    case "session_settings": {
      // The envelope allows a message without `data`: it changes no setting.
      const patch = parseSettingsPatch(data ?? {});
      const misplaced = SETTINGS.filter((name) => Object.hasOwn(value as object, name));
      if (patch.ok) return { ok: { type, messageId, patch: patch.ok, misplaced } };
      const errors = patch.errors.map(({ field, message }) => ({ field: join("data", field), message }));
      return fail("INVALID_SETTINGS", describe(errors), { field: errors[0]?.field, errors, reply_to });
    }
    case "audio_input": {
      const audio = audioInputSchema.safeParse(data);
      if (!audio.success) return invalid(audio.error, "data", { ...chunkName.safeParse(data).data, reply_to });
      const { audio: base64, ...chunk } = audio.data;
      const about = { ...chunk, reply_to };
      const pcm = bytesOfBase64(base64);
      if (pcm === undefined) return fail("AUDIO_PROCESSING_FAILED", "data.audio is not base64.", about);
      return pcm.length === 0 ? fail("AUDIO_PROCESSING_FAILED", EMPTY_AUDIO, about) : { ok: { type, pcm, about } };
    }
    case "keep_alive":
      return { ok: { type, messageId } };
    case "tool_result": {
      const result = toolResultSchema.safeParse(data);
      return result.success ? { ok: { type, messageId, ...result.data } } : invalid(result.error, "data", { reply_to });
    }
    case "say": {
      const said = saySchema.safeParse(data);
      return said.success ? { ok: { type, messageId, ...said.data } } : invalid(said.error, "data", { reply_to });
    }
    case "text_input": {
      const typed = textInputSchema.safeParse(data);
      return typed.success ? { ok: { type, messageId, ...typed.data } } : invalid(typed.error, "data", { reply_to });
    }
    case "recording_consent": {
      const answer = recordingConsentSchema.safeParse(data);
      return answer.success ? { ok: { type, messageId, ...answer.data } } : invalid(answer.error, "data", { reply_to });
    }
    default:
      return fail("UNKNOWN_MESSAGE_TYPE", `type must be one of ${TYPES}.`, {
        type: type.slice(0, 64),
        reply_to,
      });
  }
}

/** The `error` for settings beside `data`. The rest of the message is accepted, so `status` `ready` follows. */
export function misplacedSettings({ misplaced, messageId }: Extract<ClientMessage, { type: "session_settings" }>) {
  const fields = misplaced.join(", ");
  const message = `Warning: ${fields} outside data was ignored; send settings inside data.`;
  return ["SETTINGS_OUTSIDE_DATA", message, { fields: misplaced, reply_to: messageId }] as const;
}

/** The `error` for a language that the recogniser does not know, or cannot identify; otherwise undefined. */
export function unknownLanguage(
  { patch: { language }, messageId }: Extract<ClientMessage, { type: "session_settings" }>,
  recogniser: Pick<VoiceSession, "languages" | "identifiesLanguage">,
) {
  const fault = language === undefined ? undefined : languageFault(language, recogniser);
  if (fault === undefined) return undefined;
  const errors = [{ field: "data.language", message: fault }];
  return ["INVALID_SETTINGS", describe(errors), { field: "data.language", errors, reply_to: messageId }] as const;
}

function replyTo(value: unknown): { readonly reply_to?: MessageId } {
  const name = messageName.safeParse(value);
  return name.success ? { reply_to: name.data.message_id } : {};
}

/** `about`: the fields that name the message. */
function invalid(error: z.ZodError, prefix: string, about: Readonly<Record<string, unknown>>): ParsedClientMessage {
  const errors = fieldErrors(error).map(({ field, message }) => ({ field: join(prefix, field), message }));
  return fail("INVALID_MESSAGE", describe(errors), { field: errors[0]?.field ?? "", errors, ...about });
}

const fail = (
  code: ClientMessageErrorCode,
  message: string,
  details: Record<string, unknown>,
): ParsedClientMessage => ({
  failure: { code, message, details },
});

const join = (prefix: string, field: string) => [prefix, field].filter((part) => part !== "").join(".");

const describe = (errors: readonly { field: string; message: string }[]) =>
  errors.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)).join("; ");

import { z } from "zod";
import { schemaFault } from "../shared/json-schema/schema-fault.ts";

/** Kinds of words that may be hidden before anything is kept. "number": a long number that no other rule knows. */
export const REDACTION_KINDS = [
  "card", "iban", "account", "ssn", "phone", "mail", "birth", "name", "address", "number",
] as const; // prettier-ignore
export type RedactionKind = (typeof REDACTION_KINDS)[number];

/** The content that a record can have beside its first part, which says when the call was and how it ended. */
export const KEPT_CONTENT = ["words", "tools", "emotion", "audio"] as const;

export const CONSENT_MODES = ["announce", "ask", "required", "none"] as const;
export type ConsentMode = (typeof CONSENT_MODES)[number];

const days = z.number().min(0).max(36_500);
const sentence = z.exactOptional(z.string().trim().min(1).max(500));

const fields = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const fault = schemaFault(schema);
  if (fault !== undefined) context.addIssue(fault);
});

/** Written by the language model when the call is over. */
const afterCallSchema = z
  .strictObject({
    /** A few sentences about the call. */
    summary: z.boolean().default(false),
    /** A JSON Schema of facts about the call. */
    fields: z.exactOptional(fields),
  })
  .refine(({ summary, fields: schema }) => summary || schema !== undefined, "set summary or fields");
export type AfterCallSettings = z.output<typeof afterCallSchema>;

const settingsSchema = z.strictObject({
  /** Beside the times of the call and its end, which are always kept. */
  keep: z.array(z.enum(KEPT_CONTENT)).default(["words", "tools"]),
  /**
   * announce: the caller hears that the call is recorded. ask: recording begins with the caller's yes. required: so, and the call ends
   * with a no. none: the caller hears nothing of it.
   */
  consent: z.enum(CONSENT_MODES).default("ask"),
  /** Said in the place of the language pack's sentence. */
  announcement: sentence,
  question: sentence,
  /** Kinds of words that are hidden before anything is kept. An empty list hides nothing. */
  redact: z.array(z.enum(REDACTION_KINDS)).default([...REDACTION_KINDS]),
  /** Days after the end of the call. Nothing is kept longer than `call`. */
  retention_days: z
    .strictObject({ call: days.default(30), words: days.default(30), tools: days.default(30), audio: days.default(7) })
    .prefault({}),
  after_call: z.exactOptional(afterCallSchema),
});

/** `record` of a voice configuration. */
export const recordSchema = settingsSchema.refine(
  ({ after_call: after, keep }) => after === undefined || keep.includes("words"),
  { path: ["after_call"], message: "needs words in keep: the model reads them, and its text is kept with them" },
);
export type RecordSettings = z.output<typeof recordSchema>;

const WEBHOOK_FIELDS = [
  "config_id", "project_id", "connection_id", "caller_id", "started_at", "ended_at", "duration_ms", "turns", "end_reason",
  "transfer_to", "summary", "consent", "language", "transcript", "tools", "after_call",
] as const; // prettier-ignore
export type WebhookField = (typeof WEBHOOK_FIELDS)[number];

const callWebhookSchema = z
  .strictObject({
    url: z.url({ protocol: /^https?$/u, error: "must be an address that begins with https:// or http://" }),
    /** The key of the signature. */
    secret_file: z.exactOptional(z.string().min(1)),
    secret_env: z.exactOptional(z.string().regex(/^[A-Za-z_]\w*$/u, "must be the name of an environment variable")),
    fields: z
      .array(z.enum(WEBHOOK_FIELDS))
      .min(1)
      .default(["config_id", "started_at", "ended_at", "duration_ms", "turns", "end_reason", "transfer_to"]),
  })
  .refine(
    (webhook) => (webhook.secret_file === undefined) !== (webhook.secret_env === undefined),
    "set exactly one of secret_file, secret_env",
  );
export type CallWebhookSettings = z.output<typeof callWebhookSchema>;

/** `call_record` of the server's configuration: where records are kept. */
export const callRecordSchema = z.strictObject({
  /** Default: `call-record` in the data folder. */
  dir: z.exactOptional(z.string().min(1)),
  /** At least 32 random bytes. Without them no record can be read. */
  key_file: z.string().min(1),
  /** How long lines of the journal are kept, about. */
  audit_days: z.number().min(1).max(36_500).default(400),
  /** Called after each call that is recorded. */
  webhook: z.exactOptional(callWebhookSchema),
});
export type CallRecordSettings = z.output<typeof callRecordSchema>;

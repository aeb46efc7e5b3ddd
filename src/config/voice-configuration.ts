import { z } from "zod";
import { decodeEmotionSettings, decodeTurnSettings } from "./settings/settings-form.ts";
import { recordSchema } from "./call-record-settings.ts";
import { toolsSchema } from "./tool-configuration.ts";
import {
  emotionDetectionPatchSchema,
  languageSetting,
  phrasesSchema,
  turnDetectionPatchSchema,
} from "./settings/settings-schema.ts";

/** A `config_id` or a `project_id`. */
export const identifier = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "must be 1-128 of A-Z a-z 0-9 . _ -");

const { context_awareness: contextAwareness } = turnDetectionPatchSchema.shape;
/** A client's settings may have unknown fields. A file may not, at any level. */
const turnDetectionSchema = turnDetectionPatchSchema
  .extend({ context_awareness: z.exactOptional(contextAwareness.unwrap().strict()) })
  .strict();

/** One voice configuration file. An unknown key is refused: it is a typing error. */
export const voiceConfigurationSchema = z.strictObject({
  config_id: identifier,
  project_id: identifier.default("default"),
  system_prompt: z.string().trim().min(1).max(16_000),
  /** Sentences that the assistant may use; added to the system prompt. */
  facts: z.array(z.string().trim().min(1).max(2_000)).max(200).default([]),
  /** Names and phrases that callers say, for the recogniser. */
  phrases: phrasesSchema.default([]),
  /** Said first, as soon as the session is ready. */
  greeting: z.exactOptional(z.string().trim().min(1).max(1_000)),
  /** Speaker name or number of the speech model. The first speaker replaces an unknown one. */
  voice: z.string().min(1).max(64).default("default"),
  /** 1 is the speech model's own rate. */
  speed: z.number().min(0.5).max(2).default(1),
  /** Language of the caller: a code such as `en`, several, or `auto`. */
  language: languageSetting.default("en"),
  /** Learn the caller's voice in each call, and ignore other voices (docs/turn-taking.md). It is biometric data (docs/security.md). */
  only_my_caller: z.boolean().default(false),
  /** For dates and times in replies. */
  timezone: z.string().refine(isTimezone, "must be an IANA time zone such as Europe/Berlin").default("UTC"),
  /** Names of installed models. Default: the server's own models. */
  models: z
    .strictObject({
      stt: z.exactOptional(identifier),
      llm: z.exactOptional(identifier),
      tts: z.exactOptional(identifier),
    })
    .default({}),
  /** 0 always takes the most probable token. Default: the language model's own. */
  temperature: z.exactOptional(z.number().min(0).max(2)),
  max_reply_tokens: z.int().min(1).max(4_096).default(160),
  /** Calls of tools that the model may make: after one turn of the caller, and in a minute. */
  tool_limits: z
    .strictObject({ per_turn: z.int().min(1).max(50).default(6), per_minute: z.int().min(1).max(600).default(30) })
    .prefault({}),
  /** For calls that come by telephone. */
  telephone: z
    .strictObject({
      /** Variables of a call that reach the prompt, each with a sentence in which `{}` becomes the value. */
      variables: z
        .record(z.string().min(1).max(128), z.string().max(500).includes("{}", "must have {} where the value goes"))
        .refine((variables) => Object.keys(variables).length <= 32, "must have at most 32 names")
        .default({}),
      /** This key ends the call. Asterisk then continues its dialplan. */
      hang_up_key: z.exactOptional(z.string().regex(/^[0-9*#]$/, "must be one of 0-9 * #")),
    })
    .prefault({}),
  /** The records of calls (docs/call-record.md). Absent: nothing is kept. */
  record: z.exactOptional(recordSchema),
  /** Functions that the language model may call (docs/tools.md). */
  tools: toolsSchema,
  /** Defaults for the sessions of this configuration, in the form of the conversation. A client's settings override them. */
  turn_detection: turnDetectionSchema.transform(decodeTurnSettings).default({}),
  emotion_detection: emotionDetectionPatchSchema.strict().transform(decodeEmotionSettings).default({}),
});

export type VoiceConfiguration = z.output<typeof voiceConfigurationSchema>;

/** Works without any file. A file with config_id `default` replaces it. */
export const embeddedDefault: VoiceConfiguration = voiceConfigurationSchema.parse({
  config_id: "default",
  project_id: "default",
  system_prompt: "You are Oak, a friendly voice assistant. Answer in one to three short spoken sentences.",
  language: "en",
  tools: [{ builtin: "timers" }, { builtin: "demo_house" }],
});

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

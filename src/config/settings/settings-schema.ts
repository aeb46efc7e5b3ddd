import { CALL_HZ } from "../../audio/format.ts";
import { z } from "zod";
import { MAX_PHRASE_LENGTH, MAX_PHRASES } from "./session-settings.ts";
import { boundedText } from "../../shared/schema/bounded-text.ts";
import { TRACKABLE_EMOTIONS, type EmotionName } from "./emotion-names.ts";
import { fieldErrors, type FieldError } from "../../shared/schema/field-errors.ts";

/** One line of free text that may become part of a prompt: bounded, without control characters. */
const line = (maxLength: number) =>
  // Not `\P{Cc}`: the pattern goes into the AsyncAPI document, and Python's regular expressions have no `\P`.
  // oxlint-disable-next-line no-control-regex
  boundedText(maxLength).regex(/^[^\x00-\x1f\x7f-\x9f]*$/u, "must be one line without control characters");

const seconds = (min: number, max: number) => z.number().min(min).max(max);
const fraction = z.number().min(0).max(1);

/** The interface gives no types for `response_style`. A number is kept as text. */
const styleValue = z.union([line(200), z.number().transform(String)], "must be a string of at most 200 characters");

const only = <const Value extends string | number>(value: Value) =>
  z.literal(value, `only ${JSON.stringify(value)} is accepted`);

/** Upper or lower case. Spelt out letter by letter, because a pattern in a JSON Schema has no flags. */
const emotionName = z
  .string()
  .regex(
    new RegExp(`^(?:${TRACKABLE_EMOTIONS.map(inAnyCase).join("|")})$`, "u"),
    `unknown emotion; known: ${TRACKABLE_EMOTIONS.join(", ")}`,
  )
  .toLowerCase()
  .describe(`In any case: ${TRACKABLE_EMOTIONS.join(", ")}.`)
  .transform((name) => name as EmotionName);

const emotionDetectionFields = {
  enabled: z.boolean(),
  confidence_threshold: fraction,
  update_frequency: z.enum(["continuous", "on_turn_complete", "interval"]),
  /** Lower case; empty means all. */
  emotions_to_track: z.array(emotionName).max(32),
  analysis_window: seconds(0.5, 30),
};

const contextAwarenessFields = {
  enabled: z.boolean(),
  conversation_style: line(200),
  user_preferences: line(1000),
};

const turnDetectionFields = {
  enabled: z.boolean(),
  mode: z.enum(["standard", "adaptive", "aggressive", "conservative"]),
  silence_threshold: seconds(0.1, 10),
  min_speaking_time: seconds(0, 5),
  max_turn_duration: seconds(1, 120),
  speech_threshold: fraction,
  interrupt_threshold: fraction,
  natural_pauses: z.boolean(),
  background_noise_adaptation: z.boolean(),
  speaking_rate_adaptation: z.boolean(),
};

/** A primary language tag. */
const languageCode = z.string().regex(/^[a-z]{2,3}$/, "must be a language code such as en");

/** The language of the caller, several, or any. */
export const languageSetting = z.union(
  [languageCode, z.literal("auto"), z.array(languageCode).min(1).max(16)],
  "must be a language code such as en, a list of codes, or auto",
);

const audioFields = { sample_rate: only(CALL_HZ), channels: only(1), encoding: only("linear16") };

/** An addition: the client carries out its tools and gets the messages about tools. */
const toolCalls = z.boolean();
/** An addition: the client's name of the caller. Timers are kept under it until they connect again. */
const callerId = line(128).min(1);

/** An addition: names and phrases for the recogniser. */
export const phrasesSchema = z.array(line(MAX_PHRASE_LENGTH).min(1)).max(MAX_PHRASES);

const responseStyleFields = { tone: styleValue, empathy_level: styleValue, explanation_detail: styleValue };

/** A part of the settings with only optional fields. Unknown fields are dropped. */
const patchOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => {
  const optional = Object.entries(shape).map(([name, schema]) => [name, z.exactOptional(schema)]);
  return z.object(Object.fromEntries(optional) as { [Key in keyof Shape]: z.ZodExactOptional<Shape[Key]> });
};

export const emotionDetectionPatchSchema = patchOf(emotionDetectionFields);
export const turnDetectionPatchSchema = patchOf({
  ...turnDetectionFields,
  context_awareness: patchOf(contextAwarenessFields),
});

/** A client may send any part of the settings. */
export const sessionSettingsPatchSchema = patchOf({
  emotion_detection: emotionDetectionPatchSchema,
  turn_detection: turnDetectionPatchSchema,
  audio: patchOf(audioFields),
  response_style: patchOf(responseStyleFields),
  language: languageSetting,
  tool_calls: toolCalls,
  caller_id: callerId,
  phrases: phrasesSchema,
});

/** The settings in force. Every field has a value, except those of `response_style`. */
export const sessionSettingsSchema = z.object({
  emotion_detection: z.object({
    ...emotionDetectionFields,
    emotions_to_track: z.array(z.enum(TRACKABLE_EMOTIONS)).max(32),
  }),
  turn_detection: z.object({ ...turnDetectionFields, context_awareness: z.object(contextAwarenessFields) }),
  audio: z.object(audioFields),
  response_style: patchOf({ tone: line(200), empathy_level: line(200), explanation_detail: line(200) }),
  language: languageSetting,
  tool_calls: toolCalls,
  caller_id: z.exactOptional(callerId),
  phrases: z.exactOptional(phrasesSchema),
});

export type SessionSettings = z.output<typeof sessionSettingsSchema>;
export type SessionSettingsPatch = z.output<typeof sessionSettingsPatchSchema>;
/** As a client writes it. */
export type SessionSettingsInput = z.input<typeof sessionSettingsPatchSchema>;

export type ParsedSettingsPatch =
  | { readonly ok: SessionSettingsPatch; readonly errors?: never }
  | { readonly errors: readonly FieldError[]; readonly ok?: never };

/** Ignores unknown fields. One wrong field refuses the whole patch. Field names are dotted, without `data`. */
export function parseSettingsPatch(data: unknown): ParsedSettingsPatch {
  const parsed = sessionSettingsPatchSchema.safeParse(data);
  return parsed.success ? { ok: parsed.data } : { errors: fieldErrors(parsed.error) };
}

function inAnyCase(word: string): string {
  return word.replace(/./gu, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

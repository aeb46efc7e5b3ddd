import { z } from "zod";
import type { VoiceConfiguration } from "../../../config/voice-configuration.ts";
import { clientToolsOf } from "../../../conversation/tool-calls/client-tools.ts";
import { checkTool } from "../../../engines/llm/tool-call-format/check-tool.ts";
import { SessionBudget } from "../../../engines/llm/tool-call-format/grammar-rules.ts";
import { errorMessage } from "../../../shared/errors.ts";
import { boundedText } from "../../../shared/schema/bounded-text.ts";
import { audioFormatSchema } from "./audio-formats.ts";

const name = boundedText(128);
const ms = (min: number, max: number) => z.number().min(min).max(max);

/** Some clients write null for a field that they do not set. */
const unset = <Schema extends z.ZodType>(schema: Schema) => z.exactOptional(schema.nullable());

const replies = { create_response: unset(z.boolean()), interrupt_response: unset(z.boolean()) };

const serverVadSchema = z.object({
  type: z.literal("server_vad"),
  threshold: unset(z.number().min(0).max(1)),
  prefix_padding_ms: unset(ms(0, 5_000)),
  silence_duration_ms: unset(ms(100, 10_000)),
  idle_timeout_ms: unset(ms(1_000, 600_000)),
  ...replies,
});

const semanticVadSchema = z.object({
  type: z.literal("semantic_vad"),
  eagerness: unset(z.enum(["low", "medium", "high", "auto"])),
  ...replies,
});

const turnDetectionSchema = z.discriminatedUnion("type", [serverVadSchema, semanticVadSchema]).nullable();
export type TurnDetection = z.output<typeof turnDetectionSchema>;

/** Either form of a voice: a name, or the id of a custom voice. */
const voiceSchema = z.union([name, z.object({ id: name })]);
export const outputModalitiesSchema = z
  .array(z.enum(["audio", "text"]))
  .min(1)
  .max(2)
  .transform((modalities): ["audio"] | ["text"] => (modalities.includes("audio") ? ["audio"] : ["text"]));
export const maxOutputTokensSchema = z.union(
  [z.int().min(1).max(4_096), z.literal("inf")],
  'must be 1 to 4096, or "inf"',
);

const inputFields = {
  format: audioFormatSchema,
  /** Undefined: the client has not set it. */
  noise_reduction: z.object({ type: z.enum(["near_field", "far_field"]) }).nullish(),
  transcription: z
    .object({
      model: unset(name),
      language: unset(boundedText(64)),
      prompt: unset(boundedText(4_000)),
      delay: unset(name),
    })
    .nullable(),
  turn_detection: turnDetectionSchema,
};

export const audioOutputFields = {
  format: audioFormatSchema,
  voice: voiceSchema,
  speed: z.number().min(0.25).max(1.5),
};

/** As JSON. A value without effect is kept for as long as the session. */
const MOST_ECHOED = 4_096;
const isShort = (value: unknown): boolean => JSON.stringify(value ?? null).length <= MOST_ECHOED;
const TOO_LONG = `must have at most ${String(MOST_ECHOED)} characters as JSON`;
/** A field that is sent back, without effect. */
export const echoedSchema = z.unknown().refine(isShort, TOO_LONG);

const functionSchema = z.object({
  type: z.literal("function"),
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u, "must be 1-64 of A-Z a-z 0-9 _ -"),
  description: unset(boundedText(4_000)),
  parameters: z.exactOptional(z.unknown()),
});
/** Tools of other types, such as MCP, are kept and have no effect. */
const otherToolSchema = z
  .looseObject({
    type: name.regex(/^(?!function$)/u, "a function needs a name of 1-64 A-Z a-z 0-9 _ - and a short description"),
  })
  .refine(isShort, TOO_LONG);
export const toolsSchema = z
  .array(z.union([functionSchema, otherToolSchema]))
  .max(128)
  .superRefine((tools, context) => {
    const budget = new SessionBudget();
    for (const [index, tool] of tools.entries()) {
      const { success, data } = functionSchema.safeParse(tool);
      const fault = success ? faultOf(data, budget) : undefined;
      if (fault !== undefined) context.addIssue({ code: "custom", path: [index, "parameters"], message: fault });
    }
  });

/** Why the language model cannot call the function; undefined when it can. */
function faultOf(
  tool: { readonly name: string; readonly parameters?: unknown },
  budget: SessionBudget,
): string | undefined {
  try {
    checkTool({ name: tool.name, description: "", parameters: tool.parameters }, budget);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

export const toolChoiceSchema = z.union(
  [z.enum(["auto", "none", "required"]), z.looseObject({ type: name, name: z.exactOptional(name) })],
  "must be auto, none, required, or an object that names a function",
);

const sessionFields = {
  instructions: boundedText(16_000),
  output_modalities: outputModalitiesSchema,
  tools: toolsSchema,
  tool_choice: toolChoiceSchema,
  parallel_tool_calls: z.boolean(),
  max_output_tokens: maxOutputTokensSchema,
  tracing: echoedSchema,
  truncation: echoedSchema,
  prompt: echoedSchema,
  reasoning: echoedSchema,
  include: z.array(name).max(16).nullable(),
};

type Unset<Shape extends Readonly<Record<string, z.ZodType>>> = {
  [Key in keyof Shape]: z.ZodExactOptional<z.ZodNullable<Shape[Key]>>;
};
const optional = <Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) =>
  z.object(
    Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, unset(schema)])) as unknown as Unset<Shape>,
  );

/** The session of a `session.update`. Null restores a default. Unknown fields are dropped and reported. */
export const sessionPatchSchema = optional({
  ...sessionFields,
  /** Some clients leave it out. */
  type: z.literal("realtime", 'only "realtime" is served'),
  model: name,
  audio: optional({ input: optional(inputFields), output: optional(audioOutputFields) }),
});

export type SessionPatch = z.output<typeof sessionPatchSchema>;
type Values<Shape extends Readonly<Record<string, z.ZodType>>> = { [Key in keyof Shape]: z.output<Shape[Key]> };

/** The session as the client configured it. `turn_detection` holds only the fields that the client set. */
export interface SessionConfig extends Values<typeof sessionFields> {
  readonly audio: { readonly input: Values<typeof inputFields>; readonly output: Values<typeof audioOutputFields> };
}

const PCM = { type: "audio/pcm", rate: 24_000 } as const;

export const INITIAL_SESSION: SessionConfig = {
  instructions: "",
  output_modalities: ["audio"],
  tools: [],
  tool_choice: "auto",
  parallel_tool_calls: true,
  max_output_tokens: "inf",
  tracing: null,
  truncation: "auto",
  prompt: null,
  reasoning: null,
  include: null,
  audio: {
    input: { format: PCM, noise_reduction: undefined, transcription: null, turn_detection: { type: "server_vad" } },
    output: { format: PCM, voice: "default", speed: 1 },
  },
};

/** The session before the client's first update. It has the configuration's tools that the client carries out. */
export const initialSession = (voice: VoiceConfiguration): SessionConfig => ({
  ...INITIAL_SESSION,
  tools: clientToolsOf(voice).map(({ definition }) => ({ type: "function", ...definition })),
});

/** The configuration after a `session.update`: absent fields stay, others are replaced. */
export function updateSession(config: SessionConfig, patch: SessionPatch): SessionConfig {
  const { audio, type: _type, model: _model, ...fields } = patch;
  const [before, now] = [config.audio.input.turn_detection, audio?.input?.turn_detection];
  const input = replaced(config.audio.input, audio?.input ?? {}, INITIAL_SESSION.audio.input);
  if (before !== null && before.type === now?.type) input.turn_detection = { ...before, ...now } as TurnDetection;
  // Null is push to talk, not the default.
  if (now === null) input.turn_detection = null;
  // Null switches it off.
  if (audio?.input?.noise_reduction === null) input.noise_reduction = null;
  const output = replaced(config.audio.output, audio?.output ?? {}, INITIAL_SESSION.audio.output);
  const { audio: _audio, ...current } = config;
  return { ...replaced(current, fields, INITIAL_SESSION), audio: { input, output } };
}

function replaced<Part extends object>(
  current: Part,
  patch: { readonly [Key in keyof Part]?: Part[Key] | null },
  initial: Part,
): Part {
  const values = { ...current };
  for (const key of Object.keys(patch) as (keyof Part)[]) values[key] = patch[key] ?? initial[key];
  return values;
}

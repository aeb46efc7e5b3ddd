import { z } from "zod";
import { schemaFault } from "../shared/json-schema/schema-fault.ts";
import { fieldHint } from "../shared/schema/field-hint.ts";
import type { JsonSchema } from "../shared/json-schema/schema.ts";

const MAX_TOOLS = 64;

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u, "must be 1-64 of A-Z a-z 0-9 _ -");
/** As the Model Context Protocol allows. */
const mcpName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/u, "must be 1-128 of A-Z a-z 0-9 _ - .");
const file = z.exactOptional(z.string().min(1));
const variable = z.exactOptional(z.string().regex(/^[A-Za-z_]\w*$/u, "must be the name of an environment variable"));
const seconds = z.number().min(1).max(60).default(10);
const cancelOnInterrupt = z.boolean().default(false);
/** The caller hears what will be done, and says yes. A text names the act. */
const confirm = z.exactOptional(z.union([z.boolean(), z.string().trim().min(1).max(120)]));

const address = z
  .url({ protocol: /^https?$/u, error: "must be an address that begins with https:// or http://" })
  .refine((text) => {
    const { username, password } = new URL(text);
    return username === "" && password === "";
  }, "must not contain a user name or a password");

const parameters = z
  .record(z.string(), z.unknown())
  .superRefine((schema, context) => {
    const fault = schemaFault(schema);
    if (fault !== undefined) context.addIssue(fault);
  })
  .default({ type: "object", properties: {} } satisfies JsonSchema);

/** The part that the language model reads. */
const definition = { name, description: z.string().trim().min(1).max(1_000), parameters };

const webhookSchema = z.strictObject({
  ...definition,
  webhook: z
    .strictObject({
      url: address,
      /** The key of the signature. */
      secret_file: file,
      secret_env: variable,
      timeout_seconds: seconds,
      /** Sends a failed request again. Set it only when a second request has no second effect. */
      retry: z.boolean().default(false),
    })
    .refine(
      (webhook) => (webhook.secret_file === undefined) !== (webhook.secret_env === undefined),
      "set exactly one of secret_file, secret_env",
    ),
  cancel_on_interrupt: cancelOnInterrupt,
  confirm,
  /** Spoken while a call takes long, in the place of a filler of the language pack. */
  say: z.exactOptional(z.string().trim().min(1).max(200)),
});

const mcpSchema = z.strictObject({
  mcp: z
    .strictObject({
      url: address,
      /** Sent as `Authorization: Bearer`. */
      token_file: file,
      token_env: variable,
      timeout_seconds: seconds,
      /** The tools that may be called. Others of the server are ignored. */
      tools: z.array(mcpName).min(1).max(MAX_TOOLS),
    })
    .refine(
      (mcp) => mcp.token_file === undefined || mcp.token_env === undefined,
      "set at most one of token_file, token_env",
    ),
  cancel_on_interrupt: cancelOnInterrupt,
  confirm,
});

const clientSchema = z.strictObject({
  ...definition,
  client: z.literal(true),
  timeout_seconds: seconds,
  cancel_on_interrupt: cancelOnInterrupt,
  confirm,
});

const builtinSchema = z.discriminatedUnion("builtin", [
  z.strictObject({ builtin: z.literal("timers") }),
  z.strictObject({ builtin: z.literal("end_call") }),
  z.strictObject({ builtin: z.literal("stop_recording") }),
  z.strictObject({ builtin: z.literal("demo_house") }),
  z.strictObject({
    builtin: z.literal("transfer"),
    /** Where calls can go, each with a description for the language model. */
    targets: z
      .record(name, z.string().trim().min(1).max(300))
      .refine((targets) => inRange(Object.keys(targets).length, 1, 32), "must have 1 to 32 names"),
  }),
]);

type BuiltIn = z.output<typeof builtinSchema>["builtin"];

/** The functions of each built-in tool. */
export const BUILT_IN_FUNCTIONS: Readonly<Record<BuiltIn, readonly string[]>> = {
  timers: ["set_timer", "set_reminder", "list_timers", "cancel_timer"],
  end_call: ["end_call"],
  stop_recording: ["stop_recording"],
  demo_house: ["set_light", "set_temperature", "get_house"],
  transfer: ["transfer"],
};

const KINDS = { webhook: webhookSchema, mcp: mcpSchema, client: clientSchema, builtin: builtinSchema };

/** A union of the kinds whose errors are those of the kind that the entry has. */
const toolSchema = z
  .unknown()
  .meta({ anyOf: Object.values(KINDS).map(editorSchema) })
  .transform((value, context): ToolConfiguration => {
    const kinds = Object.entries(KINDS).filter(
      ([kind]) => typeof value === "object" && value !== null && kind in value,
    );
    const [first, second] = kinds;
    if (first === undefined || second !== undefined) {
      context.addIssue("must have exactly one of webhook, mcp, client, builtin");
      return z.NEVER;
    }
    const parsed = first[1].safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const hint = issue.code === "unrecognized_keys" ? fieldHint(issue, first[1]) : "";
      context.addIssue({ code: "custom", path: issue.path, message: `${issue.message}${hint}` });
    }
    return z.NEVER;
  });

/** The form of a kind for editors, without the address of the dialect. */
function editorSchema(kind: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(kind, { io: "input", unrepresentable: "any" });
  return schema;
}

export type WebhookConfiguration = z.output<typeof webhookSchema>;
export type McpConfiguration = z.output<typeof mcpSchema>;
export type ToolConfiguration =
  WebhookConfiguration | McpConfiguration | z.output<typeof clientSchema> | z.output<typeof builtinSchema>;

/** The tools of a voice configuration. */
export const toolsSchema = z
  .array(toolSchema)
  .superRefine((tools, context) => {
    const names = tools.flatMap((tool) => ("mcp" in tool ? tool.mcp.tools : "name" in tool ? [tool.name] : []));
    const taken = new Set(tools.flatMap((tool) => ("builtin" in tool ? BUILT_IN_FUNCTIONS[tool.builtin] : [])));
    const twice = names.find((one, index) => taken.has(one) || names.indexOf(one) !== index);
    if (twice !== undefined) context.addIssue(`the name ${twice} is used twice; give one of the tools another`);
    const builtins = tools.flatMap((tool) => ("builtin" in tool ? [tool.builtin] : []));
    const again = builtins.find((one, index) => builtins.indexOf(one) !== index);
    if (again !== undefined) context.addIssue(`builtin: ${again} is there twice; remove one`);
    const count = names.length + builtins.length;
    if (count > MAX_TOOLS) context.addIssue(`has ${String(count)} tools; at most ${String(MAX_TOOLS)} are allowed`);
  })
  .default([]);

const inRange = (count: number, least: number, most: number) => count >= least && count <= most;

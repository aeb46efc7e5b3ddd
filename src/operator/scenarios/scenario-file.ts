import { readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { errorMessage, OakError } from "../../shared/errors.ts";
import { sessionSettingsPatchSchema } from "../../config/settings/settings-schema.ts";
import { identifier } from "../../config/voice-configuration.ts";
import { fieldHint } from "../../shared/schema/field-hint.ts";

/** Words, or a regular expression between slashes. */
const pattern = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => regexFault(text) === undefined, { error: ({ input }) => String(regexFault(String(input))) });
/** One or several. */
const patterns = z.union([pattern, z.array(pattern).min(1)]).transform((value) => [value].flat());
const seconds = z.number().min(0).max(60);

/** `book_room`, or `{ book_room: { day: friday } }` with the arguments that matter. */
const wantedCall = z
  .union([z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))], {
    error: "must be the name of a tool, or the name with a map of arguments",
  })
  .transform((call) => (typeof call === "string" ? { [call]: {} } : call))
  .refine((call) => Object.keys(call).length === 1, "must name one tool in each line")
  .transform((call) => {
    const [[name, args] = ["", {}]] = Object.entries(call);
    return { name, arguments: args };
  });
export type WantedCall = z.output<typeof wantedCall>;

const words = {
  /** All of them are in the reply, or in the replies of the call. */
  reply: patterns.default([]),
  /** None of them is. */
  not_reply: patterns.default([]),
  /** Exactly these calls, in this order. */
  tools: z.exactOptional(z.array(wantedCall)),
};

const turnExpectation = z.strictObject({
  ...words,
  /** The recogniser heard all of them. */
  heard: patterns.default([]),
  /** Longest time from the caller's last sound to the first sound of the reply, seconds. */
  within: z.exactOptional(seconds),
  /** The assistant stops, or goes on, when the caller speaks over it. */
  stops_reply: z.exactOptional(z.boolean()),
});
export type TurnExpectation = z.output<typeof turnExpectation>;

const turn = z
  .union(
    [
      z.string().min(1),
      z.strictObject({
        /** Words, or words and seconds of hesitation. */
        say: z.union([z.string().min(1), z.array(z.union([z.string().min(1), z.number().positive().max(10)])).min(1)]),
        /** Silence before it, after the end of the reply. */
        pause: seconds.default(0.8),
        /** Spoken over the reply, so many seconds after its first sound. */
        over_reply: z.exactOptional(seconds),
        expect: turnExpectation.prefault({}),
      }),
    ],
    { error: "must be words, or a list of fields with say" },
  )
  .transform((value) =>
    typeof value === "string" ? { say: value, pause: 0.8, expect: turnExpectation.parse({}) } : value,
  );
export type ScenarioTurn = z.output<typeof turn>;

export const scenarioSchema = z.strictObject({
  /** For the report. The name of the file unless set. */
  name: z.exactOptional(z.string().min(1).max(200)),
  /** The only configuration of the folder unless set. */
  config_id: z.exactOptional(identifier),
  caller: z.enum(["speaks", "types"]).default("speaks"),
  /** A speaker of the speech model. */
  voice: z.string().min(1).max(64).default("default"),
  speed: z.number().min(0.5).max(2).default(1),
  noise: z.exactOptional(
    z.strictObject({ kind: z.enum(["fan", "white"]).default("fan"), snr_db: z.number().min(-10).max(60) }),
  ),
  settings: sessionSettingsPatchSchema.default({}),
  /** Results of tools in this call, in the place of the real systems. `{ error: ... }`: the call fails. */
  answers: z.record(z.string(), z.unknown()).default({}),
  /** All runs must pass. */
  repeat: z.int().min(1).max(100).default(1),
  turns: z.array(turn).min(1).max(100),
  expect: z
    .strictObject({
      ...words,
      /** The assistant ended the call; false: it did not. */
      ended: z.exactOptional(z.boolean()),
      transferred_to: z.exactOptional(z.string()),
      /** The language that the recogniser heard last. */
      language: z.exactOptional(z.string()),
      /** The longest answer of the call, seconds. */
      within: z.exactOptional(seconds),
      /** Numbers and names of the replies come from the prompt, the facts, the caller or a tool. */
      nothing_invented: z.boolean().default(false),
      /** Questions to the language model of this machine. It must answer each with yes. */
      judge: z
        .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
        .default([])
        .transform((value) => [value].flat()),
    })
    .prefault({}),
});

export type ScenarioFile = z.output<typeof scenarioSchema> & { readonly file: string; readonly name: string };

/** @throws OakError `SCENARIO_INVALID`: one line for each fault, with file, line and field. */
export function readScenarioFile(file: string, name: string): ScenarioFile {
  const lines = new LineCounter();
  const document = parseDocument(read(file), { lineCounter: lines });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const [message = ""] = syntax.message.split("\n");
    throw new OakError(`${file}: ${message}`, { code: "SCENARIO_INVALID" });
  }
  const parsed = scenarioSchema.safeParse(document.toJS() ?? {});
  if (parsed.success) return { ...parsed.data, file, name: parsed.data.name ?? name };
  const faults = deepestIssues(parsed.error.issues).map(({ path, message, keys }) => {
    const place = [...path, ...(keys ?? []).slice(0, 1)];
    const line = lineOf(document, place, lines);
    const hint = keys === undefined ? "" : fieldHint({ path, keys }, scenarioSchema);
    return `${file}${line === undefined ? "" : `:${String(line)}`}: ${[path.map(String).join("."), `${message}${hint}`].filter(Boolean).join(": ")}`;
  });
  throw new OakError(faults.slice(0, 8).join("\n"), { code: "SCENARIO_INVALID" });
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys: readonly string[] | undefined;
}

/** A union reports only that nothing fits. The faults of the form that fits best say what to change. */
function deepestIssues(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[] = []): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const path = [...before, ...issue.path];
    if (issue.code === "invalid_union") {
      const forms = issue.errors.map((errors) => deepestIssues(errors, path));
      const inside = forms.filter((faults) => faults.some((fault) => fault.path.length > path.length || fault.keys));
      return inside[0] ?? [{ path, message: issue.message, keys: undefined }];
    }
    return [{ path, message: issue.message, keys: issue.code === "unrecognized_keys" ? issue.keys : undefined }];
  });
}

/** The line of a value, or of the nearest one around it. */
function lineOf(
  document: ReturnType<typeof parseDocument>,
  path: readonly PropertyKey[],
  lines: LineCounter,
): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as { readonly range?: readonly number[] } | undefined;
    const [start] = node?.range ?? [];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new OakError(`${file}: cannot be read: ${errorMessage(cause)}.`, { code: "SCENARIO_INVALID", cause });
  }
}

function regexFault(text: string): string | undefined {
  const [, body] = /^\/(.+)\/$/u.exec(text) ?? [];
  if (body === undefined) return undefined;
  try {
    return RegExp(body, "iu") && undefined;
  } catch (error) {
    return `is not a regular expression: ${errorMessage(error)}`;
  }
}

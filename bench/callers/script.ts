import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../../src/shared/package-root.ts";
import type { ToolDefinition } from "../../src/engines/llm/language-model.ts";
import { OakError } from "../../src/shared/errors.ts";
import type { Assistant } from "./typed-call.ts";

const levels = z.record(z.string(), z.number());
const timer = z.strictObject({ seconds: z.number(), label: z.exactOptional(z.string()) });
const reminder = z.strictObject({ day: z.exactOptional(z.string()), time: z.string(), text: z.string() });
const booking = z.strictObject({ people: z.number(), day: z.string(), time: z.string(), name: z.string() });
const stateSchema = z.strictObject({
  lights: z.exactOptional(levels),
  degrees: z.exactOptional(levels),
  timers: z.exactOptional(z.array(timer)),
  reminders: z.exactOptional(z.array(reminder)),
  bookings: z.exactOptional(z.array(booking)),
  transferred: z.exactOptional(z.string()),
  ended: z.exactOptional(z.boolean()),
});
export const turnSchema = z
  .union([z.string(), z.strictObject({ say: z.string(), over: z.boolean().default(false) })])
  .transform((turn) => (typeof turn === "string" ? { say: turn, over: false } : turn));

export const scriptSchema = z.strictObject({
  voices: z.array(z.string()).min(1),
  configurations: z.record(
    z.string(),
    z.strictObject({ system_prompt: z.string(), facts: z.array(z.string()).default([]), tools: z.array(z.string()) }),
  ),
  callers: z.array(
    z.strictObject({
      /** Default: all that the caller said. */
      task: z.exactOptional(z.string()),
      on: z.string(),
      part: z.enum(["work", "final"]).default("work"),
      before: stateSchema.default({}),
      turns: z.array(turnSchema).min(1),
      expect: stateSchema.extend({ replied: z.exactOptional(z.string()) }),
    }),
  ),
});
export type Script = z.output<typeof scriptSchema>;
export type Caller = Script["callers"][number];

const folder = join(packageRoot, "bench", "callers");
export const callersFile = join(folder, "callers.yaml");

const toolSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});

/** The tools that the configurations name. */
export function readTools(): ReadonlyMap<string, ToolDefinition> {
  const tools = z.array(toolSchema).parse(parse(readFileSync(join(folder, "tools.yaml"), "utf8")));
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** A file may leave out what it has in common with `callersFile`. */
export function readScript(file: string): Script {
  const [common, own] = [callersFile, file].map((path) => parse(readFileSync(path, "utf8")) as object);
  return scriptSchema.parse({ ...common, ...own });
}

/** A configuration with its tools. */
export function assistantNamed(script: Script, name: string, tools: ReadonlyMap<string, ToolDefinition>): Assistant {
  const configuration = script.configurations[name];
  if (configuration === undefined) throw new OakError(`there is no configuration ${name}`, { code: "BENCH_FAILED" });
  const named = configuration.tools.map((tool) => tools.get(tool));
  return { ...configuration, tools: named.filter((tool) => tool !== undefined) };
}

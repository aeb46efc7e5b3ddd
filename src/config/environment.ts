import { z } from "zod";

const PREFIX = "OAKVOICE_";
/** Variables that are not fields: the path of the file, and flags for scripts/build-native.mjs. */
const OTHERS = ["CONFIG", "CFLAGS"].map((name) => PREFIX + name);

interface Leaf {
  readonly path: readonly string[];
  readonly type: string | undefined;
}

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** By name with its dashes, such as `--port`. */
export type Flags = Readonly<Record<`--${string}`, string | undefined>>;

export interface TextConfig {
  /** Nested like a configuration file. */
  readonly values: Record<string, unknown>;
  /** Name of the variable or flag that set a dotted path. */
  readonly names: ReadonlyMap<string, string>;
  /** Names with our prefix that match no field: probably typing errors. */
  readonly unknown: readonly string[];
}

/**
 * `limits.max_connections` is OAKVOICE_LIMITS_MAX_CONNECTIONS. Lists are separated by commas.
 * A value that does not have its field's type stays text, so that the schema refuses it.
 */
export function readEnvironment(environment: NodeJS.ProcessEnv, schema: z.ZodType): TextConfig {
  const ours = Object.entries(environment).filter(
    ([name, text]) => name.startsWith(PREFIX) && !OTHERS.includes(name) && text !== "",
  );
  return readTexts(Object.fromEntries(ours), schema, variableOf);
}

/** The same for the command line: `allow_insecure` is --allow-insecure. */
export function readFlags(flags: Flags, schema: z.ZodType): TextConfig {
  return readTexts(flags, schema, flagOf);
}

function readTexts(
  texts: Readonly<Record<string, string | undefined>>,
  schema: z.ZodType,
  nameOf: (path: readonly string[]) => string,
): TextConfig {
  const leaves = new Map(
    leavesOf(z.toJSONSchema(schema, { io: "input" }) as JsonSchema).map((leaf) => [nameOf(leaf.path), leaf]),
  );
  const values: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const unknown: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    if (text === undefined) continue;
    const leaf = leaves.get(name);
    if (leaf === undefined) {
      unknown.push(name);
      continue;
    }
    setPath(values, leaf.path, readValue(text, leaf.type));
    names.set(leaf.path.join("."), name);
  }
  return { values, names, unknown };
}

function leavesOf(schema: JsonSchema, path: readonly string[] = []): Leaf[] {
  if (schema.properties === undefined) return [{ path, type: schema.type }];
  return Object.entries(schema.properties).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

const variableOf = (path: readonly string[]) => PREFIX + path.join("_").toUpperCase();
const flagOf = (path: readonly string[]) => `--${path.join("-").replaceAll("_", "-")}`;

function readValue(text: string, type: string | undefined): unknown {
  switch (type ?? "string") {
    case "integer":
    case "number": {
      const number = Number(text);
      return Number.isNaN(number) || text.trim() === "" ? text : number;
    }
    case "boolean":
      return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
    case "array":
      return text.split(",").map((item) => item.trim());
    default:
      return text;
  }
}

function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) target[key] = value;
  else setPath((target[key] ??= {}) as Record<string, unknown>, rest, value);
}

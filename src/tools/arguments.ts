import { z } from "zod";
import { checkTool } from "../engines/llm/check-tool.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { withinBudget } from "./within-budget.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Arguments = Readonly<Record<string, unknown>>;
export type ArgumentsCheck = (args: Arguments) => void;

/** As JSON. The prompt holds it in every turn. */
const MAX_SCHEMA_CHARS = 8_192;
const MAX_FAULTS = 5;
/** Time of the event loop for each of two attempts, because another process may have taken the first one's. */
const MAX_CHECK_MS = 20;

/** A sentence that says why a tool with this schema cannot be offered. Undefined when it can. */
export function shapeFault(schema: JsonSchema): string | undefined {
  if (schema["type"] !== "object") return 'must be a JSON Schema with "type: object"';
  const size = JSON.stringify(schema).length;
  if (size <= MAX_SCHEMA_CHARS) return undefined;
  return `has ${String(size)} characters as JSON; at most ${String(MAX_SCHEMA_CHARS)} are allowed`;
}

/** A sentence that says why the language model cannot call the tool. One such tool would fail every reply. */
export function callFault(name: string, tool: { readonly parameters: JsonSchema }): string | undefined {
  try {
    checkTool({ name, description: "", parameters: tool.parameters });
    return undefined;
  } catch (error) {
    return `cannot be called: ${errorMessage(error).replace(/\.$/u, "")}`;
  }
}

/** A sentence that says why the server cannot check arguments by this schema. Undefined when it can. */
export function schemaFault(schema: JsonSchema): string | undefined {
  const fault = shapeFault(schema);
  if (fault !== undefined) return fault;
  try {
    z.fromJSONSchema(schema);
    return undefined;
  } catch (error) {
    return `is not a JSON Schema that this server can check: ${errorMessage(error)}`;
  }
}

/**
 * Checks the arguments of a call. The check throws an OakError `TOOL_REFUSED` that tells the language model what is wrong.
 * @param schema One without a fault.
 */
export function argumentsCheck(schema: JsonSchema): ArgumentsCheck {
  const parser = z.fromJSONSchema(schema);
  // Only the caller's words in a regular expression can take hours.
  const mayTakeHours = /"pattern(?:Properties)?":/u.test(JSON.stringify(schema));
  return (args) => {
    const parse = () => parser.safeParse(args);
    const checked = mayTakeHours
      ? (withinBudget(MAX_CHECK_MS, parse) ?? withinBudget(MAX_CHECK_MS, parse))
      : { result: parse() };
    if (checked === undefined) throw refused("the arguments take too long to check; use simpler ones");
    const { error } = checked.result;
    if (error === undefined) return;
    const faults = error.issues
      .slice(0, MAX_FAULTS)
      .map(({ path, message }) => [path.join("."), message].filter((part) => part !== "").join(": "));
    throw refused(`the arguments are wrong: ${faults.join("; ")}`);
  };
}

const refused = (why: string) => new OakError(`${why}. Nothing was done.`, { code: "TOOL_REFUSED" });

/**
 * The same for the schema of another server, which also checks the arguments itself. Its regular expressions are left out. A schema
 * that cannot be converted is not checked.
 */
export function lenientArgumentsCheck(schema: JsonSchema): ArgumentsCheck {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "pattern" && typeof value === "string" ? undefined : value,
  );
  if (text.includes('"patternProperties"')) return () => undefined;
  try {
    return argumentsCheck(JSON.parse(text) as JsonSchema);
  } catch {
    return () => undefined;
  }
}

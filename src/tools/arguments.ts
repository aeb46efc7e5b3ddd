import { checkTool } from "../engines/llm/tool-call-format/check-tool.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { faultsOf } from "../shared/json-schema/check-value.ts";
import type { JsonSchema } from "../shared/json-schema/schema.ts";
import { uncheckedPart } from "../shared/json-schema/unchecked.ts";
import { withinBudget } from "./within-budget.ts";

export type Arguments = Readonly<Record<string, unknown>>;

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
  const part = uncheckedPart(schema);
  return part === undefined ? undefined : `is not a JSON Schema that this server can check: ${part}`;
}

/**
 * Checks the arguments of a call. Parts of the schema that the server cannot check allow every value.
 * @throws OakError `TOOL_REFUSED` that tells the language model what is wrong.
 */
export function checkArguments(schema: unknown, args: Arguments): void {
  const check = () => faultsOf(schema, args);
  const faults = (withinBudget(MAX_CHECK_MS, check) ?? withinBudget(MAX_CHECK_MS, check))?.result;
  if (faults === undefined) throw refused("the arguments take too long to check; use simpler ones");
  if (faults.length === 0) return;
  const lines = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => [path, message].filter((part) => part !== "").join(": "));
  throw refused(`the arguments are wrong: ${lines.join("; ")}`);
}

const refused = (why: string) => new OakError(`${why}. Nothing was done.`, { code: "TOOL_REFUSED" });

import type { JsonSchema } from "./schema.ts";
import { uncheckedPart } from "./unchecked.ts";

/** As JSON. The prompt holds it in every turn. */
const MAX_SCHEMA_CHARS = 8_192;

/** A sentence that says why a tool with this schema cannot be offered. Undefined when it can. */
export function shapeFault(schema: JsonSchema): string | undefined {
  if (schema["type"] !== "object") return 'must be a JSON Schema with "type: object"';
  const size = JSON.stringify(schema).length;
  if (size <= MAX_SCHEMA_CHARS) return undefined;
  return `has ${String(size)} characters as JSON; at most ${String(MAX_SCHEMA_CHARS)} are allowed`;
}

/** A sentence that says why the server cannot check arguments by this schema. Undefined when it can. */
export function schemaFault(schema: JsonSchema): string | undefined {
  const fault = shapeFault(schema);
  if (fault !== undefined) return fault;
  const part = uncheckedPart(schema);
  return part === undefined ? undefined : `is not a JSON Schema that this server can check: ${part}`;
}

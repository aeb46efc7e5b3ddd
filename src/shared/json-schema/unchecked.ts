import { targetOf } from "./references.ts";
import { isRecord } from "./schema.ts";
import { expressionOf } from "./texts.ts";

/** Keywords that restrict values and that the check ignores. */
const UNKNOWN = new Set(["unevaluatedProperties", "unevaluatedItems", "dependentSchemas", "$dynamicRef"]);
const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);
/** Keywords whose value maps names to schemas. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Keywords whose value is data. */
const DATA = new Set(["enum", "const", "default", "examples"]);

/** The first part of a schema that the check of values ignores, as a phrase. Undefined when there is none. */
export function uncheckedPart(root: unknown, schema: unknown = root): string | undefined {
  if (Array.isArray(schema)) return firstOf(root, schema);
  if (!isRecord(schema)) return undefined;
  const { type, pattern, $ref, patternProperties = {} } = schema;
  const unknown = Object.keys(schema).find((key) => UNKNOWN.has(key));
  if (unknown !== undefined) return `${unknown} is not supported`;
  const wrongType = [type].flat().find((each) => each !== undefined && !TYPES.has(each));
  if (wrongType !== undefined) return `the type ${JSON.stringify(wrongType)} does not exist`;
  if (typeof $ref === "string" && targetOf(root, $ref) === undefined) return `${$ref} is not in the schema`;
  const patterns = [pattern, ...Object.keys(isRecord(patternProperties) ? patternProperties : {})];
  const unreadable = patterns
    .filter((each) => typeof each === "string")
    .find((each) => expressionOf(each) === undefined);
  if (unreadable !== undefined) return `${unreadable} is not a regular expression of JavaScript`;
  const parts = Object.entries(schema).filter(([key]) => !DATA.has(key));
  return firstOf(
    root,
    parts.flatMap(([key, part]) => (MAPS.has(key) && isRecord(part) ? Object.values(part) : [part])),
  );
}

function firstOf(root: unknown, schemas: readonly unknown[]): string | undefined {
  for (const schema of schemas) {
    const part = uncheckedPart(root, schema);
    if (part !== undefined) return part;
  }
  return undefined;
}

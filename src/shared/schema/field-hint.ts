import { z } from "zod";
import { nearestWord } from "../did-you-mean.ts";

interface UnknownFields {
  readonly path: readonly PropertyKey[];
  readonly keys: readonly string[];
}

/** The field that was probably meant and the known ones, in brackets after a space. Empty when the schema names none there. */
export function fieldHint({ path, keys }: UnknownFields, schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  let at: readonly Json[] = [json];
  for (const key of path) at = at.flatMap(branchesOf).flatMap((branch) => insideOf(branch, key));
  const known = [...new Set(at.flatMap(branchesOf).flatMap((branch) => Object.keys(branch.properties ?? {})))];
  if (known.length === 0) return "";
  const meant = keys.flatMap((key) => nearestWord(key, known) ?? []);
  const question = meant.length > 0 ? `did you mean ${meant.join(", ")}? ` : "";
  return ` (${question}known: ${known.join(", ")})`;
}

/** In YAML, a text with a colon and a space is a field unless it is in quotes. After a space; empty when that is not the fault. */
export const quotesHint = ({ code, message }: z.core.$ZodIssue): string =>
  code === "invalid_type" && message.endsWith("expected string, received object")
    ? ' (a colon with a space after it begins a field: write the text in quotes, "like: this")'
    : "";

type Json = z.core.JSONSchema.BaseSchema;

const branchesOf = (schema: Json): Json[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(isSchema),
];

function insideOf({ properties, items, additionalProperties }: Json, key: PropertyKey): Json[] {
  const inside = typeof key === "number" ? [items] : [properties?.[String(key)] ?? additionalProperties];
  return inside.flat().filter(isSchema);
}

const isSchema = (value: unknown): value is Json => typeof value === "object" && value !== null;

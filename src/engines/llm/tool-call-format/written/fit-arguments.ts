import { argumentsOf } from "../tool-arguments.ts";
import type { WrittenCall } from "./json-calls.ts";
import { ValueReader } from "./value-reader.ts";

/**
 * Arguments that no grammar held: values by their place get their names, and a text or a number becomes what the schema says. Other
 * faults stay, because the tool checks its values.
 */
export function fitArguments({ name: tool, args }: WrittenCall, parameters: unknown): WrittenCall["args"] {
  const known = argumentsOf(tool, parameters);
  const schemas = new Map(known.map(({ name, schema }) => [name, schema]));
  const entries = Object.entries(args).map(([key, value]): [string, unknown] => {
    const name = schemas.has(key) ? key : (known[/^\d+$/u.test(key) ? Number(key) : -1]?.name ?? key);
    return [name, fitted(value, schemas.get(name))];
  });
  return Object.fromEntries(entries);
}

function fitted(value: unknown, schema: unknown): unknown {
  const { type, enum: values } = (schema ?? {}) as { readonly type?: unknown; readonly enum?: unknown };
  const isText = type === "string" || (Array.isArray(values) && values.every((each) => typeof each === "string"));
  if (isText) return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (typeof value !== "string" || type === undefined) return value;
  try {
    return new ValueReader(`${value} `, 0, true).value();
  } catch {
    return value;
  }
}

import { z } from "zod";
import { OakError } from "../../../shared/errors.ts";

/** Each optional argument is one more way for the next token to go on. */
const MAX_ARGUMENTS = 128;

export type Schema = Readonly<Record<string, unknown>>;
export const isSchema = (schema: unknown): schema is Schema =>
  typeof schema === "object" && schema !== null && !Array.isArray(schema);
const properties = z.record(z.string(), z.unknown());
const names = z.array(z.string());

const TIME_OF_DAY = /(?:^|_)(?:time|hour|uhrzeit|heure|hora|ora|tijd)$/iu;
const DAY = /(?:^|_)(?:day|date|tag|datum|jour|fecha|d[ií]a|data|giorno|dag)$/iu;

/** An argument of this name holds a time of day. */
export const isTimeOfDay = (name: string): boolean => TIME_OF_DAY.test(name);

/** The name and schema of one argument. */
export interface Argument {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
  /** A time of day in the form that the server chooses, 19:30 or 7:30 PM: the schema names none, and the day is another argument. */
  readonly isBareTime: boolean;
}

/**
 * The arguments of a tool's parameters, a JSON Schema. Throws an OakError with the code TOOL_UNUSABLE when no call could have
 * such arguments.
 */
export function argumentsOf(tool: string, parameters: unknown): readonly Argument[] {
  const schema = parameters ?? {};
  if (!isSchema(schema)) throw unusableTool(tool, 'must be a JSON Schema with "type": "object"');
  if (schema["type"] !== undefined && schema["type"] !== "object")
    throw unusableTool(tool, 'must have "type": "object"');
  return propertiesOf(tool, schema);
}

/** The same for an object inside the parameters, which may have other types too, such as null. */
export function propertiesOf(tool: string, schema: Schema): readonly Argument[] {
  const unusable = (what: string) => unusableTool(tool, what);
  const known = properties.safeParse(schema["properties"] ?? {});
  if (!known.success) throw unusable('must list their "properties" as an object');
  const required = names.safeParse(schema["required"] ?? []);
  if (!required.success) throw unusable('must list "required" as an array of names');
  const isRequired = new Set(required.data);
  const all = [...new Set([...Object.keys(known.data), ...isRequired])];
  if (all.length > MAX_ARGUMENTS) throw unusable(`have more than ${String(MAX_ARGUMENTS)} properties in one object`);
  const hasDay = all.some((name) => DAY.test(name));
  return all.map((name) => {
    const own = known.data[name] ?? {};
    const isBareTime = hasDay && isTimeOfDay(name) && isBareText(own);
    return { name, schema: own, isRequired: isRequired.has(name), isBareTime };
  });
}

const isBareText = (schema: unknown): boolean =>
  isSchema(schema) &&
  schema["type"] === "string" &&
  Object.keys(schema).every((key) => key === "type" || key === "title");

export const unusableTool = (tool: string, what: string): OakError =>
  new OakError(`The parameters of the tool ${tool} ${what}.`, { code: "TOOL_UNUSABLE" });

import { z } from "zod";
import { OakError } from "../../shared/errors.ts";
import type { ArgumentStyle } from "./argument-style.ts";

/** A model may nest values of an open schema this deep. */
const MAX_DEPTH = 3;
/** A weak model fills a list or a text without end. */
const MAX_ITEMS = 50;
const MAX_CHARS = 500;
/** Each optional argument is one more way for the next token to go on. */
const MAX_ARGUMENTS = 128;

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (schema: unknown): schema is Schema =>
  typeof schema === "object" && schema !== null && !Array.isArray(schema);
const properties = z.record(z.string(), z.unknown());
const names = z.array(z.string());

/** The name and schema of one argument. */
export interface Argument {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/**
 * The arguments of a tool's parameters, a JSON Schema. Throws an OakError with the code TOOL_UNUSABLE when no call could have
 * such arguments.
 */
export function argumentsOf(tool: string, parameters: unknown): readonly Argument[] {
  const unusable = (what: string) =>
    new OakError(`The parameters of the tool ${tool} ${what}.`, { code: "TOOL_UNUSABLE" });
  const schema = parameters ?? {};
  if (!isSchema(schema)) throw unusable('must be a JSON Schema with "type": "object"');
  if (schema["type"] !== undefined && schema["type"] !== "object") throw unusable('must have "type": "object"');
  const known = properties.safeParse(schema["properties"] ?? {});
  if (!known.success) throw unusable('must list their "properties" as an object');
  const required = names.safeParse(schema["required"] ?? []);
  if (!required.success) throw unusable('must list "required" as an array of names');
  const all = [...new Set([...Object.keys(known.data), ...required.data])];
  if (all.length > MAX_ARGUMENTS) throw unusable(`have more than ${String(MAX_ARGUMENTS)} properties in one object`);
  return all.map((name) => ({ name, schema: known.data[name] ?? {}, isRequired: required.data.includes(name) }));
}

/**
 * Writes rules of llama.cpp's grammar format for JSON Schemas. Keywords that a grammar cannot express, such as "pattern" and
 * "allOf", are ignored, so a value may be wider than its schema.
 */
export class SchemaGrammar {
  readonly #style: ArgumentStyle;
  readonly #root: Schema;
  readonly #tool: string;
  readonly #rules: string[] = [];
  /** Rules of definitions by reference. */
  readonly #references = new Map<string, string>();
  /** The depths of the references that are being written. */
  readonly #open = new Map<string, number>();

  /** `root`: the schema that references point into. */
  constructor(tool: string, root: unknown, style: ArgumentStyle) {
    this.#tool = tool;
    this.#root = isSchema(root) ? root : {};
    this.#style = style;
  }

  /** The grammar of a text that `body` describes. */
  text(body: string): string {
    return [`root ::= ${body}`, ...this.#rules].join("\n");
  }

  /** An expression for the values that the schema allows. */
  value(schema: unknown, depth = 0): string {
    if (schema === false) throw this.#unusable("allow no value somewhere");
    if (!isSchema(schema)) return this.#any(depth);
    if (Array.isArray(schema["enum"])) return this.#oneOf(schema["enum"]);
    if ("const" in schema) return this.#oneOf([schema["const"]]);
    if (typeof schema["$ref"] === "string") return this.#reference(schema["$ref"], depth);
    const choices = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(choices) && choices.length > 0)
      return this.#rule(choices.map((choice) => this.value(choice, depth)).join(" | "));
    const { type } = schema;
    if (Array.isArray(type) && type.length > 0)
      return this.#rule(type.map((each) => this.#typed(schema, each, depth)).join(" | "));
    return this.#typed(schema, type ?? typeByKeyword(schema), depth);
  }

  /** Pairs in their order, with `separator` between them. Optional ones may be left out. */
  pairs(pairs: readonly { readonly text: string; readonly isRequired: boolean }[], separator: string): string {
    const between = quoted(separator);
    const first = pairs.findIndex(({ isRequired }) => isRequired);
    const after = (from: number) =>
      pairs.slice(from).map(({ text, isRequired }) => (isRequired ? `${between} ${text}` : `(${between} ${text})?`));
    if (first >= 0) {
      const before = pairs.slice(0, first).map(({ text }) => `(${text} ${between})?`);
      return [...before, pairs[first]?.text, ...after(first + 1)].join(" ");
    }
    // Each optional pair may be the first. A rule for the pairs after it keeps the grammar as short as the schema.
    let rest = '""';
    const choices: string[] = [];
    for (const { text } of pairs.toReversed()) {
      choices.unshift(`${text} ${rest}`);
      rest = this.#rule(`(${between} ${text})? ${rest}`);
    }
    return choices.length === 0 ? rest : `(${choices.join(" | ")})?`;
  }

  #typed(schema: Schema, type: unknown, depth: number): string {
    switch (type) {
      case "string":
        return this.#string(schema);
      case "integer":
        return `${sign(schema)} ("0" | [1-9] [0-9]{0,15})`;
      case "number":
        return `${sign(schema)} ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})?`;
      case "boolean":
        return `(${this.#style.boolean.map(quoted).join(" | ")})`;
      case "null":
        return quoted(this.#style.null);
      case "array":
        return this.#array(schema, depth);
      case "object":
        return this.#object(schema, depth);
      case undefined:
        return this.#any(depth);
      default:
        throw this.#unusable(`have the unknown type ${JSON.stringify(type).slice(0, 40)}`);
    }
  }

  #string(schema: Schema): string {
    const { open, character, close } = this.#style.string;
    const text = this.characters(character, schema);
    return `${quoted(open)} ${text} ${quoted(close)}`;
  }

  /** So many characters as a string of the schema may have. */
  characters(character: string, schema: unknown): string {
    const { minLength, maxLength } = isSchema(schema) ? schema : {};
    const most = Math.min(countOf(maxLength) ?? MAX_CHARS, MAX_CHARS);
    const least = Math.min(countOf(minLength) ?? 0, most);
    const kind = character === this.#style.string.character ? "text" : "plain";
    return this.#named(`${kind}${String(least)}to${String(most)}`, `${character}{${String(least)},${String(most)}}`);
  }

  #array(schema: Schema, depth: number): string {
    if (depth >= MAX_DEPTH && schema["items"] === undefined) return '"[]"';
    const item = this.#rule(this.value(schema["items"] ?? {}, depth + 1));
    const most = Math.min(countOf(schema["maxItems"]) ?? MAX_ITEMS, MAX_ITEMS);
    const least = Math.min(countOf(schema["minItems"]) ?? 0, most);
    if (most === 0) return '"[]"';
    const more = `(${quoted(this.#style.separator)} ${item}){${String(Math.max(0, least - 1))},${String(most - 1)}}`;
    return least > 0 ? `"[" ${item} ${more} "]"` : `"[" (${item} ${more})? "]"`;
  }

  #object(schema: Schema, depth: number): string {
    const known = argumentsOf(this.#tool, schema);
    if (known.length > 0) {
      const pairs = known.map(({ name, schema: inner, isRequired }) => ({
        text: `${quoted(this.#style.key(name))} ${this.value(inner, depth + 1)}`,
        isRequired,
      }));
      return this.#rule(`"{" ${this.pairs(pairs, this.#style.separator)} "}"`);
    }
    if (depth >= MAX_DEPTH || schema["additionalProperties"] === false) return '"{}"';
    const key = this.#named("name", "[a-zA-Z_] [a-zA-Z0-9_]*");
    const [open = "", close = ""] = this.#style.key("|").split("|");
    const inner = this.value(schema["additionalProperties"] ?? {}, depth + 1);
    const pair = this.#rule(`${quoted(open)} ${key} ${quoted(close)} ${inner}`);
    return this.#rule(`"{" (${pair} (${quoted(this.#style.separator)} ${pair})*)? "}"`);
  }

  #any(depth: number): string {
    const types = depth < MAX_DEPTH ? ["string", "number", "boolean", "null", "array", "object"] : ["string", "number"];
    const of = (type: string) => this.#typed({}, type, depth + 1);
    return this.#named(`any${String(depth)}`, () => types.map(of).join(" | "));
  }

  #oneOf(values: readonly unknown[]): string {
    if (values.length === 0) throw this.#unusable('have an empty "enum"');
    return `(${values.map((value) => quoted(this.#style.literal(value))).join(" | ")})`;
  }

  #reference(reference: string, depth: number): string {
    // The depth grows with each bracket that comes before a value.
    if (this.#open.get(reference) === depth) throw this.#unusable("have a schema that is only a reference to itself");
    const known = this.#references.get(reference);
    if (known !== undefined) return known;
    const target = reference.startsWith("#/")
      ? reference
          .slice(2)
          .split("/")
          .reduce<unknown>((at, key) => (isSchema(at) ? at[decodeURIComponent(key)] : undefined), this.#root)
      : undefined;
    if (target === undefined) return this.#any(depth);
    const name = `ref${String(this.#references.size)}`;
    this.#references.set(reference, name);
    this.#open.set(reference, depth);
    this.#rules.push(`${name} ::= ${this.value(target, depth)}`);
    this.#open.delete(reference);
    return name;
  }

  #rule(body: string): string {
    const name = `rule${String(this.#rules.length)}`;
    this.#rules.push(`${name} ::= ${body}`);
    return name;
  }

  #named(name: string, body: string | (() => string)): string {
    if (this.#rules.some((rule) => rule.startsWith(`${name} ::=`))) return name;
    this.#rules.push(`${name} ::= ${typeof body === "string" ? body : body()}`);
    return name;
  }

  #unusable(what: string): OakError {
    return new OakError(`The parameters of the tool ${this.#tool} ${what}.`, { code: "TOOL_UNUSABLE" });
  }
}

/** A literal of the grammar. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`);
  return `"${escaped.replaceAll("\r", String.raw`\r`).replaceAll("\t", String.raw`\t`)}"`;
}

const sign = ({ minimum }: Schema): string => (typeof minimum === "number" && minimum >= 0 ? "" : '"-"?');

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 ? Math.trunc(value) : undefined;

function typeByKeyword(schema: Schema): string | undefined {
  if ("properties" in schema) return "object";
  return "items" in schema ? "array" : undefined;
}

import type { ArgumentStyle } from "./argument-style.ts";
import { choice, MAX_WAYS, plain, type Written } from "./grammar-choice.ts";
import { GrammarBudget, GrammarRules, type SessionBudget } from "./grammar-rules.ts";
import { oneOf, quoted } from "./grammar-text.ts";
import { isSchema, propertiesOf, unusableTool, type Argument, type Schema } from "./tool-arguments.ts";

/** A model may nest values of an open schema this deep. */
const MAX_DEPTH = 3;
/** A weak model fills a list or a text without end. */
const MAX_ITEMS = 50;
const MAX_CHARS = 500;
/** 19:30 or 7:30 PM. An hour that may be in both halves of the day has its half. */
export const TIME_OF_DAY =
  '(("0" [0-9] | "1" [3-9] | "2" [0-3]) ":" [0-5] [0-9] | [1-9] ":" [0-5] [0-9] " " [AP] "M" | "1" [0-2] ":" [0-5] [0-9] (" " [AP] "M")?)';
/** How numbers begin. */
const NUMBER = "-0123456789".split("");

/**
 * Writes rules of llama.cpp's grammar format for JSON Schemas. Keywords that a grammar cannot express, such as "pattern" and
 * "allOf", are ignored, so a value may be wider than its schema. Throws TOOL_UNUSABLE before the rules become too long or
 * ambiguous.
 */
export class SchemaGrammar {
  readonly #style: ArgumentStyle;
  readonly #root: Schema;
  readonly #tool: string;
  readonly #budget: GrammarBudget;
  readonly #rules: GrammarRules;
  /** Rules of the schemas that references point to. */
  readonly #references = new Map<unknown, Written>();
  /** The depths of the references that are being written. */
  readonly #open = new Map<unknown, number>();
  readonly #any = new Map<number, Written>();

  /** `root`: the schema that references point into. `session`: the limit for all tools of its session. */
  constructor(tool: string, root: unknown, style: ArgumentStyle, session?: SessionBudget) {
    this.#tool = tool;
    this.#root = isSchema(root) ? root : {};
    this.#style = style;
    this.#budget = new GrammarBudget(tool, session);
    this.#rules = new GrammarRules(this.#budget);
  }

  /** The grammar of a text that `body` describes. */
  text(body: string): string {
    return this.#rules.text(body);
  }

  /** An expression for the values of an argument. */
  argument(argument: Argument): string {
    return this.#argument(argument, 1).text;
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
      rest = this.#rules.add(`(${between} ${text})? ${rest}`);
    }
    return choices.length === 0 ? rest : `(${choices.join(" | ")})?`;
  }

  /** So many characters as a string of the schema may have. */
  characters(character: string, schema: unknown): string {
    const { minLength, maxLength } = isSchema(schema) ? schema : {};
    const most = Math.min(countOf(maxLength) ?? MAX_CHARS, MAX_CHARS);
    const least = Math.min(countOf(minLength) ?? 0, most);
    return this.#rules.add(`${character}{${String(least)},${String(most)}}`, most);
  }

  #value(schema: unknown, depth: number): Written {
    if (schema === false) throw unusableTool(this.#tool, "allow no value somewhere");
    if (!isSchema(schema)) return this.#anything(depth);
    if (Array.isArray(schema["enum"])) return this.#oneOf(schema["enum"]);
    if ("const" in schema) return this.#oneOf([schema["const"]]);
    if (typeof schema["$ref"] === "string") return this.#reference(schema["$ref"], depth);
    const choices = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(choices) && choices.length > 0)
      return this.#choice(choices.map((each) => this.#value(each, depth)));
    const { type } = schema;
    if (Array.isArray(type) && type.length > 0)
      return this.#choice(Array.from(new Set(type), (each) => this.#typed(schema, each, depth)));
    return this.#typed(schema, type ?? typeByKeyword(schema), depth);
  }

  #choice(alternatives: readonly Written[]): Written {
    for (const { text, begins } of alternatives) this.#budget.spend(text.length + begins.join("").length);
    const { text, ...rest } = choice(alternatives);
    if (rest.ways > MAX_WAYS)
      throw unusableTool(this.#tool, `have a choice of more than ${String(MAX_WAYS)} values that begin alike`);
    return { ...rest, text: this.#rules.add(text) };
  }

  #typed(schema: Schema, type: unknown, depth: number): Written {
    switch (type) {
      case "string":
        return this.#string(schema);
      case "integer":
        return plain(`${sign(schema)} ("0" | [1-9] [0-9]{0,15})`, ...NUMBER);
      case "number":
        return plain(`${sign(schema)} ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})?`, ...NUMBER);
      case "boolean":
        return plain(oneOf(this.#style.boolean), ...this.#style.boolean);
      case "null":
        return plain(quoted(this.#style.null), this.#style.null);
      case "array":
        return this.#array(schema, depth);
      case "object":
        return this.#object(schema, depth);
      case undefined:
        return this.#anything(depth);
      default:
        throw unusableTool(this.#tool, `have the unknown type ${(JSON.stringify(type) ?? "").slice(0, 40)}`);
    }
  }

  #string(schema: Schema): Written {
    const { open, character, close } = this.#style.string;
    return plain(`${quoted(open)} ${this.characters(character, schema)} ${quoted(close)}`, open);
  }

  #argument({ schema, isBareTime }: Argument, depth: number): Written {
    const { open, close } = this.#style.string;
    return isBareTime ? plain(`${quoted(open)} ${TIME_OF_DAY} ${quoted(close)}`, open) : this.#value(schema, depth);
  }

  #array(schema: Schema, depth: number): Written {
    if (depth >= MAX_DEPTH && schema["items"] === undefined) return plain('"[]"', "[");
    const most = Math.min(countOf(schema["maxItems"]) ?? MAX_ITEMS, MAX_ITEMS);
    if (most === 0) return plain('"[]"', "[");
    const items = this.#value(schema["items"] ?? {}, depth + 1);
    const item = this.#rules.add(items.text, most);
    const least = Math.min(countOf(schema["minItems"]) ?? 0, most);
    const more = `(${quoted(this.#style.separator)} ${item}){${String(Math.max(0, least - 1))},${String(most - 1)}}`;
    const text = least > 0 ? `"[" ${item} ${more} "]"` : `"[" (${item} ${more})? "]"`;
    return { ...items, text, begins: ["["] };
  }

  #object(schema: Schema, depth: number): Written {
    const known = propertiesOf(this.#tool, schema);
    if (known.length > 0) {
      const pairs = known.map((argument) => {
        const { name, isRequired } = argument;
        const value = this.#argument(argument, depth + 1);
        return { value, key: this.#key(name), text: `${quoted(this.#style.key(name))} ${value.text}`, isRequired };
      });
      const [first] = pairs;
      return {
        text: this.#rules.add(`"{" ${this.pairs(pairs, this.#style.separator)} "}"`),
        begins: first?.isRequired === true ? first.value.begins.map((begin) => `{${first.key}${begin}`) : ["{"],
        ways: Math.max(...pairs.map(({ value }) => value.ways)),
        isOpen: pairs.some(({ value }) => value.isOpen),
      };
    }
    if (depth >= MAX_DEPTH || schema["additionalProperties"] === false) return plain('"{}"', "{");
    const [open = "", close = ""] = this.#style.key("|").split("|");
    const inner = this.#value(schema["additionalProperties"] ?? {}, depth + 1);
    const pair = this.#rules.add(`${quoted(open)} [a-zA-Z_] [a-zA-Z0-9_]* ${quoted(close)} ${inner.text}`);
    const text = this.#rules.add(`"{" (${pair} (${quoted(this.#style.separator)} ${pair})*)? "}"`);
    return { ...inner, text, begins: ["{"] };
  }

  #key(name: string): string {
    const { names } = this.#style;
    if (names?.test(name) === false)
      throw unusableTool(
        this.#tool,
        `have the property ${JSON.stringify(name.slice(0, 40))}, which the model cannot write`,
      );
    return this.#style.key(name);
  }

  #anything(depth: number): Written {
    const known = this.#any.get(depth);
    if (known !== undefined) return known;
    const types = depth < MAX_DEPTH ? ["string", "number", "boolean", "null", "array", "object"] : ["string", "number"];
    const written = this.#choice(types.map((type) => this.#typed({}, type, depth + 1)));
    this.#any.set(depth, written);
    return written;
  }

  #oneOf(values: readonly unknown[]): Written {
    if (values.length === 0) throw unusableTool(this.#tool, 'have an empty "enum"');
    const literals = values.map((value) => this.#style.literal(value));
    return plain(oneOf(literals), ...literals.map((literal, at) => beginning(values[at], literal)));
  }

  #reference(reference: string, depth: number): Written {
    const target = this.#target(reference);
    if (target === undefined) return this.#anything(depth);
    // The depth grows with each bracket that comes before a value.
    if (this.#open.get(target) === depth)
      throw unusableTool(this.#tool, "have a schema that is only a reference to itself");
    const known = this.#references.get(target);
    if (known !== undefined) return known;
    const text = this.#rules.reserve();
    this.#references.set(target, { text, begins: [""], ways: 1, isOpen: true });
    this.#open.set(target, depth);
    const written = this.#value(target, depth);
    this.#rules.define(text, written.text);
    this.#open.delete(target);
    const closed = { ...written, text, isOpen: written.isOpen && this.#open.size > 0 };
    this.#references.set(target, closed);
    return closed;
  }

  #target(reference: string): unknown {
    if (!reference.startsWith("#/")) return undefined;
    let at: unknown = this.#root;
    for (const key of reference.slice(2).split("/")) at = isSchema(at) ? at[this.#decoded(key)] : undefined;
    return at;
  }

  #decoded(key: string): string {
    try {
      return decodeURIComponent(key);
    } catch {
      throw unusableTool(this.#tool, `have the reference ${JSON.stringify(key.slice(0, 40))}, which is not an address`);
    }
  }
}

const sign = ({ minimum }: Schema): string => (typeof minimum === "number" && minimum >= 0 ? "" : '"-"?');

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 ? Math.trunc(value) : undefined;

function typeByKeyword(schema: Schema): string | undefined {
  if ("properties" in schema) return "object";
  return "items" in schema ? "array" : undefined;
}

/** How a fixed value begins. Its keys may be in another order. */
const beginning = (value: unknown, literal: string): string =>
  typeof value === "object" && value !== null ? literal.slice(0, 1) : literal;

import { z } from "zod";
import { GEMMA_QUOTE, gemmaStyle, jsonStyle, pythonStyle } from "./argument-style.ts";
import type { SessionBudget } from "./grammar-rules.ts";
import { oneOf, quoted } from "./grammar-text.ts";
import { SchemaGrammar, TIME_OF_DAY } from "./schema-grammar.ts";
import { argumentsOf } from "./tool-arguments.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** A way to write the arguments of a call, as a family of models learned it. */
export interface CallSyntax {
  /** GBNF grammar of the arguments, which ends where they end. Throws TOOL_UNUSABLE. */
  grammar(tool: string, parameters: unknown, session?: SessionBudget): string;
  /** Undefined while the text is not complete. */
  parse(text: string, parameters: unknown): Arguments | undefined;
  write(args: Arguments): string;
}

const object = z.record(z.string(), z.unknown());

function parsed(json: string): Arguments | undefined {
  try {
    return object.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** `{"city": "Bonn"}` */
export const jsonCall: CallSyntax = {
  grammar(tool, parameters, session) {
    const grammar = new SchemaGrammar(tool, parameters, jsonStyle, session);
    return grammar.text(`"{" ${named(grammar, tool, parameters, (name) => jsonStyle.key(name))} "}"`);
  },
  parse: (text) => parsed(text),
  write: (args) => jsonStyle.literal(args),
};

/** `city="Bonn", days=2)` */
export const pythonCall: CallSyntax = {
  grammar(tool, parameters, session) {
    const grammar = new SchemaGrammar(tool, parameters, pythonStyle, session);
    return grammar.text(`${named(grammar, tool, parameters, (name) => `${name}=`)} ")"`);
  },
  parse(text) {
    if (!text.endsWith(")")) return undefined;
    const json = outsideStrings(text.slice(0, -1), (code) =>
      code
        .replace(/\b(True|False|None)\b/g, (word) => (word === "None" ? "null" : word.toLowerCase()))
        .replace(/(^|, )([^\s=,"]+)=/g, '$1"$2": '),
    );
    return parsed(`{${json}}`);
  },
  write: (args) =>
    `${Object.entries(args)
      .map(([name, value]) => `${name}=${pythonStyle.literal(value)}`)
      .join(", ")})`,
};

/** `city:<|"|>Bonn<|"|>,days:2}` */
export const gemmaCall: CallSyntax = {
  grammar(tool, parameters, session) {
    const grammar = new SchemaGrammar(tool, parameters, gemmaStyle, session);
    return grammar.text(`${named(grammar, tool, parameters, (name) => `${name}:`, ",")} "}"`);
  },
  parse(text) {
    if (!text.endsWith("}")) return undefined;
    const parts = `{${text}`.split(GEMMA_QUOTE);
    const json = parts.map((part, at) =>
      at % 2 === 1 ? JSON.stringify(part) : part.replace(/([{,]\s*)([^\s{}[\]:,"]+):/g, '$1"$2":'),
    );
    return parts.length % 2 === 1 ? parsed(json.join("")) : undefined;
  },
  write: (args) => gemmaStyle.literal(args).slice(1),
};

const XML_CHARACTER = String.raw`[^<\x00-\x09\x0B-\x1F\x7F]`;
const XML_CLOSE = "\n</parameter>\n";
const XML_END = "</function>";

/** `<parameter=city>\nBonn\n</parameter>\n</function>` Strings stand without quotation marks. */
export const xmlCall: CallSyntax = {
  grammar(tool, parameters, session) {
    const grammar = new SchemaGrammar(tool, parameters, jsonStyle, session);
    const pairs = argumentsOf(tool, parameters).map((argument) => {
      const { name, schema, isRequired } = argument;
      const text = () => (argument.isBareTime ? TIME_OF_DAY : rawText(grammar, schema));
      const value = isText(schema) ? text() : grammar.argument(argument);
      return { text: `${quoted(`<parameter=${name}>\n`)} ${value} ${quoted(XML_CLOSE)}`, isRequired };
    });
    return grammar.text(`${grammar.pairs(pairs, "")} ${quoted(XML_END)}`);
  },
  parse(text, parameters) {
    if (!text.endsWith(XML_END)) return undefined;
    const schemas = new Map(argumentsOf("", parameters).map(({ name, schema }) => [name, schema]));
    const args: Record<string, unknown> = {};
    for (const [, name = "", value = ""] of text.matchAll(/<parameter=([^>]+)>\n([\s\S]*?)\n<\/parameter>/g))
      args[name] = isText(schemas.get(name)) ? value : jsonOr(value);
    return args;
  },
  write: (args) =>
    Object.entries(args)
      .map(([name, value]) => {
        const text = typeof value === "string" ? value : jsonStyle.literal(value);
        return `<parameter=${name}>\n${text}${XML_CLOSE}`;
      })
      .join("") + XML_END,
};

function named(
  grammar: SchemaGrammar,
  tool: string,
  parameters: unknown,
  key: (name: string) => string,
  separator = ", ",
): string {
  const pairs = argumentsOf(tool, parameters).map((argument) => ({
    text: `${quoted(key(argument.name))} ${grammar.argument(argument)}`,
    isRequired: argument.isRequired,
  }));
  return grammar.pairs(pairs, separator);
}

/** Whether a value stands without quotation marks. */
const isText = (schema: unknown): boolean => {
  const { type, enum: values } = (schema ?? {}) as { readonly type?: unknown; readonly enum?: unknown };
  if (Array.isArray(values) && values.length === 0) return false;
  return type === "string" || (Array.isArray(values) && values.every((value) => typeof value === "string"));
};

function rawText(grammar: SchemaGrammar, schema: unknown): string {
  const { enum: values, const: value } = schema as { readonly enum?: readonly string[]; readonly const?: unknown };
  if (typeof value === "string") return quoted(value);
  return values === undefined ? grammar.characters(XML_CHARACTER, schema) : oneOf(values);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Changes the parts of a text that are not inside quotation marks. */
function outsideStrings(text: string, change: (code: string) => string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|[^"]+/g, (part) => (part.startsWith('"') ? part : change(part)));
}

/** How a call goes on behind the name of its tool. */
export interface CallRest {
  readonly afterName: string;
  readonly syntax: CallSyntax;
  readonly suffix: string;
}

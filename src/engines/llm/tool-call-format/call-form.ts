import type { Token } from "node-llama-cpp";
import { gemmaCall, jsonCall, pythonCall, xmlCall, type Arguments, type CallSyntax } from "./call-syntax.ts";
import { isSpecial, type Vocabulary } from "./special-text.ts";

/** How a model writes a call: prefix, name, afterName, arguments, suffix. */
export interface CallForm {
  readonly prefix: string;
  readonly afterName: string;
  readonly syntax: CallSyntax;
  readonly suffix: string;
  /** Texts around a result. A result must not contain them. */
  readonly marks: readonly string[];
}

/** The form of Hermes and Qwen models. Others follow it when the prompt describes it. */
export const hermesForm: CallForm = {
  prefix: '<tool_call>\n{"name": "',
  afterName: '", "arguments": ',
  syntax: jsonCall,
  suffix: "}\n</tool_call>",
  marks: ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
};

/** LFM's templates leave calls out of the prompt, although its models learned this form. */
export const lfmForm: CallForm = {
  prefix: "<|tool_call_start|>[",
  afterName: "(",
  syntax: pythonCall,
  suffix: "]<|tool_call_end|>",
  marks: ["<|tool_response_start|>", "<|tool_response_end|>"],
};

/** A call with values that occur nowhere else. */
export const PROBE = { name: "oakprobetool", key: "oakprobekey", value: "oakprobevalue" } as const;
const { key, value: word } = PROBE;

/** The probe's arguments in each syntax. */
const SYNTAXES: readonly (readonly [RegExp, CallSyntax])[] = [
  [new RegExp(String.raw`\{\s*"${key}":\s*"${word}"\s*\}`), jsonCall],
  [new RegExp(String.raw`<parameter=${key}>\n${word}\n</parameter>\n</function>`), xmlCall],
  [new RegExp(String.raw`${key}:<\|"\|>${word}<\|"\|>\}`), gemmaCall],
  [new RegExp(String.raw`${key}=["']${word}["']\)`), pythonCall],
];

/**
 * Derives the form from a rendered call of the probe. `text` begins with the model's message and ends before the result, and
 * `after` follows the result. Undefined when the template leaves the call out or its form is not known.
 */
export function formOf(model: Vocabulary, text: string, after: string): CallForm | undefined {
  const nameAt = text.indexOf(PROBE.name);
  if (nameAt < 0) return undefined;
  const call = text.slice(nameAt + PROBE.name.length);
  for (const [pattern, syntax] of SYNTAXES) {
    const found = pattern.exec(call);
    if (found === null) continue;
    const rest = call.slice(found.index + found[0].length);
    const suffix = syntax === gemmaCall ? "<tool_call|>" : beforeEnd(model, rest);
    const prefix = text.slice(0, nameAt).trimStart();
    const [opener] = model.tokenize(prefix, true);
    const afterName = call.slice(0, found.index);
    if (suffix === undefined || afterName === "" || opener === undefined || model.isEogToken(opener)) return undefined;
    const around = `${rest.slice(suffix.length)} ${after}`;
    const marks = new Set([...around.matchAll(/<[^<>\s]+>|\[\/?[A-Z_]+\]/g)].map(([mark]) => mark));
    return { prefix, afterName, syntax, suffix, marks: [...marks] };
  }
  return undefined;
}

/** The text before the first token that ends a message. */
function beforeEnd(model: Vocabulary, text: string): string | undefined {
  const tokens = model.tokenize(text, true);
  const end = tokens.findIndex((token) => model.isEogToken(token));
  return end < 0 ? undefined : model.detokenize(tokens.slice(0, end), true);
}

/** The beginning of a call, by which it is recognised. */
export interface Opener {
  readonly text: string;
  /** Set when one special token begins a call. */
  readonly token: Token | undefined;
}

export function openerOf(model: Vocabulary, { prefix }: CallForm): Opener {
  const [first] = model.tokenize(prefix, true);
  if (first !== undefined && isSpecial(model, first)) return { text: model.detokenize([first], true), token: first };
  // A tag, or the first characters up to a space or a quotation mark.
  const [text] = /^<[^<>]*>|^[^\s"']+/.exec(prefix) ?? [prefix];
  return { text, token: undefined };
}

export const callText = ({ prefix, afterName, syntax, suffix }: CallForm, name: string, args: Arguments): string =>
  `${prefix}${name}${afterName}${syntax.write(args)}${suffix}`;

/** A client may have given a call whose arguments are not an object. */
export function argumentsIn(json: string): Arguments {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Arguments;
  } catch {
    // Not JSON.
  }
  return json.trim() === "" ? {} : { arguments: json };
}

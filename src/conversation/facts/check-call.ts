import { argumentsOf, isSchema, type Argument } from "../../engines/llm/tool-arguments.ts";
import type { ChatMessage, Prompt, ToolCall, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { labelOf } from "./labels.ts";
import { resembles, plainWords } from "./said-words.ts";
import { fittedValue } from "./fit-value.ts";
import { SaidValues } from "./said-values.ts";

export interface CheckedCall {
  /** The call, without optional arguments that no one said. Undefined: it must not run. */
  readonly call: ToolCall | undefined;
  /** Labels of required arguments that no one said. */
  readonly unsaid: readonly string[];
}

/** A line of the prompt that the program wrote, such as the time. */
const NOTE = /^\([^\n]*\)$/gmu;
const QUESTION = /[^.!?\n]*\?/gu;
const FIRST_SENTENCE = /^[^.!?\n]*[.!?\n]?/u;

/**
 * Compares the values of a call with the conversation. Values of a fixed set are not compared. A result may order a further call in
 * the same turn. So all values of such a call, and its purpose, must come from the caller.
 */
export function checkCall(call: ToolCall, { messages, tools, toolChoice }: Prompt, language: Language): CheckedCall {
  const tool = tools.find(({ name }) => name === call.name);
  // A client that requires a call decides by itself.
  if (tool === undefined || toolChoice !== "auto") return { call, unsaid: [] };
  const followsResult = messages.at(-1)?.role === "call";
  const args = JSON.parse(call.arguments) as Record<string, unknown>;
  const known = argumentsOf(tool.name, tool.parameters);
  const about = [tool.name, tool.description, ...known.map(({ name }) => name)];
  const texts = followsResult ? callersWords(messages) : [...callersWords(messages), ...otherSources(messages)];
  const said = new SaidValues(texts, about, language);
  const unsaid: string[] = [];
  const fitted = Object.entries(args).flatMap(([name, value]): [string, unknown][] => {
    const argument = known.find((each) => each.name === name);
    if (argument === undefined) return [[name, value]];
    const isText = !isFixed(argument, value);
    if (!isText && !followsResult) return [[name, value]];
    const fit = fittedValue(value, argument.schema, said);
    if (fit !== undefined) return [[name, isText ? fit : value]];
    if (argument.isRequired) unsaid.push(labelOf(name, argument.schema));
    return [];
  });
  if (unsaid.length > 0 || (followsResult && !isWanted(tool, messages))) return { call: undefined, unsaid };
  return { call: { ...call, arguments: JSON.stringify(Object.fromEntries(fitted)) }, unsaid: [] };
}

/** Arguments that a model words itself. */
const FREE_TEXT =
  /^(?:reason|summary|notes?|remarks?|comments?|message|details|description|subject|query|question|topic)$/iu;

/** A model chooses such values by their meaning. */
function isFixed({ name, schema }: Argument, value: unknown): boolean {
  if (FREE_TEXT.test(name)) return true;
  if (!isSchema(schema)) return false;
  return "enum" in schema || "const" in schema || ("default" in schema && schema["default"] === value);
}

const callersWords = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap(({ role, content }) => (role === "user" ? [content.replaceAll(NOTE, "")] : []));

/** The operator's words, the results, and questions of the assistant that the caller has answered. */
function otherSources(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(({ role, content, ...message }) => {
    // The first sentence says who the assistant is. A weak model gives that name as the caller's.
    if (role === "system") return [content.replace(FIRST_SENTENCE, "")];
    if (role === "call") return [content];
    if (role === "assistant") return [content.match(QUESTION)?.join(" ") ?? ""];
    return "isPinned" in message ? [content] : [];
  });
}

/** The caller's last words name the tool's act, or the same tool was just called for them. */
function isWanted(tool: ToolDefinition, messages: readonly ChatMessage[]): boolean {
  const turn = messages.findLastIndex(({ role }) => role === "user");
  if (messages.slice(turn + 1).some((message) => message.role === "call" && message.name === tool.name)) return true;
  const said = plainWords(messages[turn]?.content.replaceAll(NOTE, "") ?? "");
  const acts = [plainWords(tool.name)[0] ?? "", plainWords(tool.description)[0] ?? ""];
  return acts.some((act) => said.some((word) => resembles(word, act)));
}

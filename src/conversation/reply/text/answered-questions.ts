import { argumentsIn } from "../../../engines/llm/tool-call-format/call-form.ts";
import type { ChatMessage, GenerateRequest, ToolDefinition } from "../../../engines/llm/language-model.ts";
import type { Language } from "../../../language/language.ts";
import { lastWords } from "../../facts/callers-words.ts";
import { echoes } from "../../facts/held-clauses.ts";
import { argumentsOfTool, spokenValues } from "../../facts/labels.ts";
import { plainWords, resembles } from "../../facts/said-words.ts";

/** Longer words do not answer a question for a value. */
export const MAX_ANSWER_CHARS = 80;

/** Shorter words of a description say little. */
const LEAST_TELLING = 5;

/** A question that the caller has answered: the last one, word for word, or one for a value that is known. @param known Names. */
export function asksAgain(question: string, messages: readonly ChatMessage[], known: readonly string[]): boolean {
  const text = question.trim();
  if (!text.endsWith("?")) return false;
  const words = plainWords(text);
  const before = messages.findLast(({ role }) => role === "assistant")?.content ?? "";
  return before.includes(text) || known.some((name) => plainWords(name).every((word) => words.includes(word)));
}

/** The last call: its values, how they are said, and whether the reply follows it or the caller has just corrected it. */
export function lastCall({ messages, tools }: GenerateRequest, { facts }: Language) {
  const last = messages.at(-1);
  const call = messages.findLast((message) => message.role === "call");
  if (call?.role !== "call") return undefined;
  const args = argumentsIn(call.arguments);
  const parameters = tools.find(({ name }) => name === call.name)?.parameters;
  const isCorrected = last?.role === "user" && facts.corrects(lastWords(messages));
  return { args, spoken: spokenValues(args, { parameters }, facts), isResult: last === call, isCorrected };
}

/** Names of the tool's arguments. */
export function labelsOf(tool: string, { tools }: GenerateRequest): readonly string[] {
  const found = tools.find(({ name }) => name === tool);
  return found === undefined ? [] : argumentsOfTool(found).map(({ name }) => name);
}

/** The words have a longer word of another tool's name or description: "goodbye" of one that ends the call. */
function namesOther(words: readonly string[], tool: string, { tools }: GenerateRequest): boolean {
  const wordsOf = (one: ToolDefinition) => plainWords(`${one.name} ${one.description}`);
  const own = tools.filter(({ name }) => name === tool).flatMap((one) => wordsOf(one));
  const others = tools.filter(({ name }) => name !== tool).flatMap((one) => wordsOf(one));
  return words.some((word) => word.length >= LEAST_TELLING && others.includes(word) && !own.includes(word));
}

/**
 * The caller's last words answer a question, and ask nothing. The reply is about something else: it asks nothing, or the words name
 * one of the values ("the name is Clark").
 */
export function leavesAnswer(reply: string, tool: string, request: GenerateRequest, { facts }: Language): boolean {
  const { messages } = request;
  const last = messages.at(-1);
  const question = messages.findLast(({ role }) => role === "assistant")?.content ?? "";
  if (last?.role !== "user" || !question.trimEnd().endsWith("?")) return false;
  const words = lastWords(messages);
  const named = plainWords(words);
  if (namesOther(named, tool, request)) return false;
  const isValue = labelsOf(tool, request).some((name) => plainWords(name).every((word) => named.includes(word)));
  if (reply.trimEnd().endsWith("?") && !isValue) return false;
  return words.length < MAX_ANSWER_CHARS && !words.endsWith("?") && !facts.asks.test(words) && !facts.refuses(words);
}

/** "Sure." and nothing else, or an echo, to words that name a tool: the caller takes it for done. */
export function agreesToAct(
  said: string,
  { messages, tools, toolChoice }: GenerateRequest,
  language: Language,
): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user" || toolChoice !== "auto") return false;
  const order = lastWords(messages);
  if (!language.facts.agrees(said) && !echoes(said, order, language)) return false;
  const words = plainWords(order);
  const named = tools.flatMap(({ name }) => plainWords(name)).filter((word) => word.length > 3);
  return named.some((word) => words.some((each) => resembles(each, word)));
}

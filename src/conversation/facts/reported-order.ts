import { isSchema } from "../../engines/llm/tool-call-format/tool-arguments.ts";
import type { ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { argumentsOfTool } from "./labels.ts";
import { plainWords, resembles, SaidWords } from "./said-words.ts";

const LEAST_WORDS = 2;

/**
 * The tool whose act a sentence reports in answer to an order: "The kitchen light has been turned off." Undefined when the caller asked or
 * thanked, when the sentence reports nothing new ("is already on"), or when several tools fit.
 */
export function reportedTool(
  sentence: string,
  order: string,
  tools: readonly ToolDefinition[],
  language: Language,
): string | undefined {
  const { facts } = language;
  if (!facts.reports.test(sentence) || sentence.trimEnd().endsWith("?")) return undefined;
  const words = plainWords(order);
  if (words.length < LEAST_WORDS || order.trimEnd().endsWith("?") || facts.asks.test(order.trim())) return undefined;
  const reported = plainWords(sentence);
  const isShared = sharesNumber(sentence, order, language);
  const fits = tools.map((tool) => {
    const { own, choices } = thingsOf(tool);
    const inReport = [...own, ...choices].filter((thing) => hasAll(reported, thing)).length;
    const inOrder = [...own, ...choices].filter((thing) => hasAll(words, thing)).length;
    // A kitchen alone does not tell a light from music.
    const isOwn = own.some((thing) => hasAll(reported, thing) || hasAll(words, thing));
    return { name: tool.name, fit: isOwn && inReport > 0 && (inOrder > 0 || isShared) ? inReport + inOrder : 0 };
  });
  const most = Math.max(0, ...fits.map(({ fit }) => fit));
  const best = fits.filter(({ fit }) => fit === most);
  return most > 0 && best.length === 1 ? best[0]?.name : undefined;
}

/** The words of the things that a tool with arguments acts on: the light of "set_light", names of arguments, and choices. */
function thingsOf(tool: ToolDefinition) {
  const known = argumentsOfTool(tool);
  if (known.length === 0) return { own: [], choices: [] };
  const choices = known.flatMap(({ schema }) =>
    isSchema(schema) && Array.isArray(schema["enum"]) ? schema["enum"].filter((each) => typeof each === "string") : [],
  );
  const [, ...object] = plainWords(tool.name);
  const named = known.map((argument) => plainWords(argument.name)).filter((each) => each.join("").length > 3);
  return { own: [...object.map((word) => [word]), ...named], choices: choices.map((each) => plainWords(each)) };
}

const hasAll = (words: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length > 0 && wanted.every((word) => words.some((each) => each === word || resembles(each, word)));

function sharesNumber(one: string, other: string, language: Language): boolean {
  const numbers = new SaidWords([one], language).numbers;
  const said = new SaidWords([other], language);
  return numbers.some((number) => number > 1 && said.spells(number));
}

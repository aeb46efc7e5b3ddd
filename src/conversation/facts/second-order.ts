import { isSchema } from "../../engines/llm/tool-call-format/tool-arguments.ts";
import { argumentsIn } from "../../engines/llm/tool-call-format/call-form.ts";
import type { ChatMessage, Prompt, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { lastWords } from "./callers-words.ts";
import { argumentsOfTool } from "./labels.ts";
import { plainWords, resembles, SaidWords } from "./said-words.ts";

/** An order of the caller's last words that no call has carried out: a tool, and the choice that was said for it. */
export interface SecondOrder {
  readonly tool: string;
  readonly choice: string;
}

/**
 * "Turn on the kitchen and the hallway lights": a small model calls for the kitchen and reports that. The order counts when the words name
 * one of the tool's choices that no call of this turn has, and the tool's object ("lights"). Words that exclude or correct something
 * order nothing here, and neither does a place that the caller mentions without an "and".
 */
export function secondOrder({ messages, tools }: Prompt, language: Language): SecondOrder | undefined {
  const from = messages.findLastIndex(({ role }) => role === "user");
  const words = lastWords(messages);
  const { facts } = language;
  if (facts.asks.test(words.trim()) || facts.excludes.test(words) || facts.corrects(words)) return undefined;
  const joint = facts.joins.exec(words);
  if (joint === null) return undefined;
  const second = new SaidWords([words.slice(joint.index)], language);
  const done = messages.slice(from).flatMap((message) => (message.role === "call" ? [message] : []));
  const isDone = (choice: string) => done.some((call) => hasValue(call, choice));
  for (const tool of tools) {
    if (!isObjectSaid(tool, words)) continue;
    const choice = choicesOf(tool).find((each) => second.hasSequence(each) && !isDone(each));
    if (choice !== undefined) return { tool: tool.name, choice };
  }
  return undefined;
}

const hasValue = (call: Extract<ChatMessage, { role: "call" }>, choice: string): boolean =>
  Object.values(argumentsIn(call.arguments)).includes(choice);

/** The values of required choices. */
const choicesOf = (tool: ToolDefinition): readonly string[] =>
  argumentsOfTool(tool).flatMap(({ schema, isRequired }) =>
    isRequired && isSchema(schema) && Array.isArray(schema["enum"])
      ? schema["enum"].filter((each): each is string => typeof each === "string" && each.length > 2)
      : [],
  );

/** The words after the verb of the tool's name: the light of "set_light". */
function isObjectSaid({ name }: ToolDefinition, words: string): boolean {
  const [, ...object] = plainWords(name);
  const said = plainWords(words);
  return object.length > 0 && object.every((word) => said.some((each) => resembles(each, word)));
}

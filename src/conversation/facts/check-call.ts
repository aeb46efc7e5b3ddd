import {
  argumentsOf,
  isSchema,
  isTimeOfDay,
  type Argument,
} from "../../engines/llm/tool-call-format/tool-arguments.ts";
import { argumentsIn } from "../../engines/llm/tool-call-format/call-form.ts";
import type { ChatMessage, Prompt, ToolCall, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { callersWords } from "./callers-words.ts";
import { repairedValues } from "./repaired-values.ts";
import { labelOf } from "./labels.ts";
import { resembles, plainWords } from "./said-words.ts";
import { fittedValue, withoutEnds } from "./fit-value.ts";
import { SaidValues } from "./said-values.ts";
import { inUnitOfName } from "./units-of-time.ts";

export interface CheckedCall {
  /** The call, without optional arguments that no one said. Undefined: it must not run. */
  readonly call: ToolCall | undefined;
  /** Labels of required arguments that no one said. */
  readonly unsaid: readonly string[];
  /** The arguments that were said, when others were not. */
  readonly said?: Readonly<Record<string, unknown>>;
  /** Optional values that no one said are left out. */
  readonly isShortened?: boolean;
  /** The caller has named the tool's purpose, so that the missing values may be asked for. */
  readonly isNamed?: boolean;
  /** A result may have ordered the call. It needs the caller's yes. */
  readonly isDoubtful?: boolean;
}

const QUESTION = /[^.!?\n]*\?/gu;
const FIRST_SENTENCE = /^[^.!?\n]*[.!?\n]?/u;

/**
 * Compares the values of a call with the conversation. Values of a fixed set, and of computed arguments, are not compared.
 * @param kept Gives values that the caller said earlier for a call of the same tool.
 */
export function checkCall(
  call: ToolCall,
  { messages, tools, toolChoice }: Prompt,
  language: Language,
  kept: (argument: string) => unknown = () => undefined,
): CheckedCall {
  const tool = tools.find(({ name }) => name === call.name);
  // A client that requires a call decides by itself.
  if (tool === undefined || toolChoice !== "auto") return { call, unsaid: [] };
  const said = (texts: readonly string[]) => new SaidValues(texts, about(tool), language);
  const callers = said(callersWords(messages));
  const [words = ""] = callersWords(messages.slice(turnOf(messages)));
  const newest = said([words]);
  const isAct = isNamed(tool, messages);
  const hasResult = messages.at(-1)?.role === "call";
  const before = valuesBefore(tool, messages, kept);
  const args = hasResult
    ? argumentsIn(call.arguments)
    : repairedValues(argumentsIn(call.arguments), tool, { words, said, callers, before, isAct }, language);
  const all = () => said([...otherSources(messages), ...callersWords(messages)]);
  const checked = fitted({ ...call, arguments: JSON.stringify(args) }, tool, { callers, newest, all }, kept, language);
  if (!hasResult) {
    // The caller did not speak of this act, and the model has made up its values.
    const { call: made } = checked;
    const isMadeUp = !isAct && checked.isShortened === true && !isAboutLastWords(tool, args, newest);
    return { ...checked, call: isMadeUp ? undefined : made, isNamed: isAct };
  }
  // A model that has the result of a call makes up another one, or does what the text of the result orders.
  if (checked.call === undefined) return { call: undefined, unsaid: [] };
  const values = Object.values(JSON.parse(checked.call.arguments) as object);
  if (isWanted(tool, values, messages) && values.every((value) => callers.has(value))) return checked;
  return isNamed(tool, messages.slice(turnOf(messages)))
    ? { ...checked, isDoubtful: true }
    : { call: undefined, unsaid: [] };
}

/** Words of the caller, their last ones, and those of all. The latter take longer, so they are only read for values that the caller did not say. */
interface Sources {
  readonly callers: SaidValues;
  readonly newest: SaidValues;
  readonly all: () => SaidValues;
}

function fitted(
  call: ToolCall,
  { name: tool, parameters }: ToolDefinition,
  { callers, newest, all }: Sources,
  kept: (argument: string) => unknown,
  language: Language,
): CheckedCall {
  const known = argumentsOf(tool, parameters);
  let read: SaidValues | undefined;
  const unsaid: string[] = [];
  let isShortened = false;
  const values = Object.entries(JSON.parse(call.arguments) as object);
  // A weak model fills an optional text, such as a label, with the tool's name and with numbers that it gives beside it.
  const repeated = new Set([
    ...[tool, ...known.map(({ name }) => name)].flatMap((name) => plainWords(name)),
    ...values.flatMap(([, value]) => (typeof value === "number" ? [String(value)] : [])),
  ]);
  const args = values.flatMap(([name, given]): [string, unknown][] => {
    const argument = known.find((each) => each.name === name);
    if (argument === undefined || isFixed(argument, given) || isComputed(parameters)) return [[name, given]];
    const isLabel = !argument.isRequired && typeof given === "string" && !isTimeOfDay(name);
    const own = (text: unknown) =>
      isLabel && typeof text === "string"
        ? withoutEnds(text, (word) => repeated.has(word) || callers.isSmall(word))
        : text;
    const value = own(given);
    if (value === "") return [];
    const earlier = kept(name);
    // A newer value takes the place of an older one.
    if (earlier === undefined || newest.has(value)) {
      const found = fittedValue(value, argument, callers.has(value) ? callers : (read ??= all()));
      const fit = own(inUnitOfName(found, name, callers, language));
      if (fit === "") return [];
      if (fit !== undefined && couldBe(fit, name, tool, callers))
        return [[name, newest.isOtherHalfOf(fit, earlier) ? earlier : fit]];
    }
    // It may come from words that the recogniser has corrected since.
    if (earlier !== undefined && (read ??= all()).has(earlier)) return [[name, earlier]];
    if (argument.isRequired) unsaid.push(labelOf(name, argument.schema));
    else isShortened = true;
    return [];
  });
  const said = Object.fromEntries(args);
  if (unsaid.length > 0) return { call: undefined, unsaid, said };
  return { call: { ...call, arguments: JSON.stringify(said) }, unsaid, isShortened };
}

/** The tool has required values, and the caller's last words have those that are compared. */
function isAboutLastWords({ name, parameters }: ToolDefinition, args: object, newest: SaidValues): boolean {
  const required = argumentsOf(name, parameters).filter(({ isRequired }) => isRequired);
  const values: Readonly<Record<string, unknown>> = { ...args };
  return (
    required.length > 0 &&
    required.every((argument) => isFixed(argument, values[argument.name]) || newest.has(values[argument.name]))
  );
}

/** Values that the call changes: those of the last call that was made, or of one that lacks others. */
function valuesBefore(
  { name, parameters }: ToolDefinition,
  messages: readonly ChatMessage[],
  kept: (argument: string) => unknown,
): Readonly<Record<string, unknown>> {
  const waiting = argumentsOf(name, parameters).flatMap((argument) => {
    const value = kept(argument.name);
    return value === undefined ? [] : [[argument.name, value] as const];
  });
  if (waiting.length > 0) return Object.fromEntries(waiting);
  const last = messages.slice(0, turnOf(messages)).findLast(({ role }) => role === "call");
  return last?.role === "call" && last.name === name ? argumentsIn(last.arguments) : {};
}

const PERSON = /(?:^|_)(?:name|nombre|nom|nome|naam)$/iu;
const PERIOD = /(?:^|_)(?:hours?|days?|weeks?|months?|years?)$/iu;

/** No digits, weekdays or whole sentences for a name, and no "a" for an hour. A weak model takes any word that was said. */
function couldBe(value: unknown, name: string, tool: string, callers: SaidValues): boolean {
  if (value === 1 && PERIOD.test(name)) return callers.hasPeriod;
  if (typeof value !== "string" || !PERSON.test(name)) return true;
  const words = plainWords(value);
  const [act = ""] = plainWords(tool);
  const isSentence = words.length > 2 && words.some((word) => resembles(word, act));
  return !isSentence && !callers.isNumberOrDay(value);
}

const about = ({ name, description, parameters }: ToolDefinition): string[] => [
  name,
  description,
  ...argumentsOf(name, parameters).map((argument) => argument.name),
];

/** Arguments that a model words itself. */
const FREE_TEXT =
  /^(?:reason|summary|notes?|remarks?|comments?|message|details|description|subject|query|question|topic)$/iu;

/** A model chooses such values by their meaning. */
function isFixed({ name, schema }: Argument, value: unknown): boolean {
  if (FREE_TEXT.test(name) || isComputed(schema)) return true;
  if (!isSchema(schema)) return false;
  return "enum" in schema || "const" in schema || ("default" in schema && schema["default"] === value);
}

/** The operator says that the model works the values out. */
const isComputed = (schema: unknown): boolean => isSchema(schema) && schema["x-computed"] === true;

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

/** The caller's last words name the tool's act, or the same tool was just called for them about something else. */
function isWanted(tool: ToolDefinition, values: readonly unknown[], messages: readonly ChatMessage[]): boolean {
  const turn = messages.slice(turnOf(messages));
  const before = turn.flatMap((message) =>
    message.role === "call" && message.name === tool.name
      ? [thingsIn(Object.values(argumentsIn(message.arguments)))]
      : [],
  );
  if (before.length > 0) return values.length === 0 || !before.includes(thingsIn(values));
  return hasOneOf(turn, [plainWords(tool.name)[0] ?? "", plainWords(tool.description)[0] ?? ""]);
}

/**
 * The caller's last words order the call: they name its act, or one of its values. A question orders nothing. For calls that the
 * program has required of the model.
 */
export function isOrdered(call: ToolCall, { messages, tools }: Prompt, language: Language): boolean {
  const tool = tools.find(({ name }) => name === call.name);
  const turn = messages.slice(turnOf(messages));
  const [words = ""] = callersWords(turn);
  if (tool === undefined || words.trimEnd().endsWith("?") || language.facts.asks.test(words.trim())) return false;
  if (hasOneOf(turn, [plainWords(tool.name)[0] ?? ""])) return true;
  const said = new SaidValues([words], about(tool), language);
  return Object.values(JSON.parse(call.arguments) as object).some((value) =>
    typeof value === "number"
      ? value > 1 && said.has(value)
      : typeof value === "string" && (/\d/u.test(value) ? said.has(value) : said.proves(value)),
  );
}

/** The texts and numbers of a call. A call that differs only in other values undoes or changes the first one. */
const thingsIn = (values: readonly unknown[]): string =>
  JSON.stringify(values.filter((value) => typeof value === "string" || (typeof value === "number" && value !== 0)));

const turnOf = (messages: readonly ChatMessage[]): number =>
  Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );

/** The caller's words have a word of the tool's name or purpose. */
function isNamed({ name, description }: ToolDefinition, messages: readonly ChatMessage[]): boolean {
  const words = [...plainWords(name), ...plainWords(FIRST_SENTENCE.exec(description)?.[0] ?? "")];
  const own = words.filter((word) => word.length > 3);
  return hasOneOf(messages, own);
}

function hasOneOf(messages: readonly ChatMessage[], words: readonly string[]): boolean {
  const said = new Set(callersWords(messages).flatMap((text) => plainWords(text)));
  return words.some((word) => said.has(word) || [...said].some((each) => resembles(each, word)));
}

import {
  argumentsOf,
  isSchema,
  isTimeOfDay,
  type Argument,
} from "../../engines/llm/tool-call-format/tool-arguments.ts";
import type { ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import type { SaidValues } from "./said-values.ts";
import { plainWords, resembles } from "./said-words.ts";

type Values = Readonly<Record<string, unknown>>;

/** A correction inside a sentence is short: "at six please, wait, no, at eight". */
const MOST_WORDS_AFTER_BREAK = 5;
const EARLY_HOUR = 8;
const HOUR = /^\s*(\d{1,2})\b(?:.*?([ap])\.?m)?/iu;

/** Who said what, for one call. */
export interface RepairSources {
  /** The caller's last words. */
  readonly words: string;
  readonly said: (texts: readonly string[]) => SaidValues;
  /** All words of the caller. */
  readonly callers: SaidValues;
  /** The values that a correction changes: those of the last call, or of one that lacks others. */
  readonly before: Values;
  /** The caller has spoken of the tool's act. */
  readonly isAct: boolean;
}

/**
 * The arguments with the number that the caller has just said. A weak model makes another one up, or repeats the old one after a
 * correction ("no, nineteen", "wait, at eight"). A correction leaves switches as they were.
 */
export function repairedValues(
  values: Values,
  { name: tool, parameters }: ToolDefinition,
  { words, said, callers, before, isAct }: RepairSources,
  language: Language,
): Values {
  const correction = correctionIn(words, language);
  const newest = said([correction ?? words]);
  const known = argumentsOf(tool, parameters);
  const isWrong = ({ name, isRequired }: Argument) =>
    name in values &&
    !newest.has(values[name]) &&
    (correction === undefined
      ? isAct && (isRequired || isTimeOfDay(name)) && !callers.has(values[name])
      : name in before || correction !== words);
  const number = onlyNumber(values, newest);
  const target = number === undefined ? undefined : targetOf(known, isWrong, values, correction ?? words, language);
  const changed: Record<string, unknown> = { ...values };
  if (number !== undefined && target !== undefined)
    changed[target] =
      typeof values[target] === "number" ? number : timeAt(number, before[target], values[target], newest);
  const texts = Object.values(values).filter((value) => typeof value === "string");
  if (correction !== undefined && newest.areAllIn(texts))
    for (const [name, value] of Object.entries(values))
      if (typeof value === "boolean" && typeof before[name] === "boolean") changed[name] = before[name];
  return changed;
}

/** The words of a correction: all of them, or those after a break in the sentence. */
function correctionIn(words: string, { facts }: Language): string | undefined {
  if (facts.corrects(words)) return words;
  const each = words.split(/\s+/u);
  const least = Math.max(1, each.length - MOST_WORDS_AFTER_BREAK);
  for (let at = least; at < each.length; at += 1) {
    const rest = each.slice(at).join(" ");
    if (facts.corrects(rest)) return rest;
  }
  return undefined;
}

/** The only number of the words that no argument has yet. */
function onlyNumber(values: Values, said: SaidValues): number | undefined {
  const taken = new Set(Object.values(values).filter((value) => typeof value === "number"));
  const numbers = said.numbers.filter((number) => !taken.has(number));
  return numbers.length === 1 ? numbers[0] : undefined;
}

/** The argument that the number is for: the one that the words name, a time after "at", or the only one that is wrong. */
function targetOf(
  known: readonly Argument[],
  isWrong: (argument: Argument) => boolean,
  values: Values,
  words: string,
  { facts }: Language,
): string | undefined {
  const spoken = plainWords(words);
  const isNamed = ({ name, schema }: Argument) =>
    isSchema(schema) &&
    (schema["type"] === "integer" || schema["type"] === "number") &&
    plainWords(name).some((part) => spoken.some((word) => resembles(word, part)));
  const isTime = ({ name }: Argument) => typeof values[name] === "string" && isTimeOfDay(name);
  const wrong = known.filter((each) => isWrong(each) && (typeof values[each.name] === "number" || isTime(each)));
  const named = known.filter(isNamed);
  const times = facts.atTime.test(words) ? wrong.filter(isTime) : [];
  const [only, ...others] = [named, times, wrong].find(({ length }) => length > 0) ?? [];
  return only !== undefined && others.length === 0 && wrong.includes(only) ? only.name : undefined;
}

/** The hour in the half of the day of the time that it replaces. Without one, few people mean the early morning. */
function timeAt(hour: number, before: unknown, made: unknown, said: SaidValues): string {
  const old = before ?? made;
  const [, oldHour, half] = HOUR.exec(typeof old === "string" ? old : "") ?? [];
  const isOldLate = half === undefined ? Number(oldHour) >= 12 : half.toLowerCase() === "p";
  const isLate = hour < 12 && (isOldLate || (before === undefined && hour < EARLY_HOUR));
  return `${String(isLate ? hour + 12 : hour).padStart(2, "0")}:${said.isHalfPast(hour) ? "30" : "00"}`;
}

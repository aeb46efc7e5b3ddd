import { isSchema, isTimeOfDay, type Argument } from "../../engines/llm/tool-call-format/tool-arguments.ts";
import type { SaidValues } from "./said-values.ts";
import { plainWords } from "./said-words.ts";

const TIME = /^\s*(\d{1,2})(?::([0-5]\d))?(?::00)?\s*(?:([ap])\.?\s?m\.?)?\s*$/iu;
const HALF_DAY = /\b[ap]\.?m\b/iu;
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)?/gu;

/** A value without words that no one said. Undefined: nothing of it was said. Times of day are written as 19:30. */
export function fittedValue(value: unknown, { name, schema }: Argument, said: SaidValues): unknown {
  if (typeof value !== "string") return said.has(value) ? value : undefined;
  const text = said.hasVerbatim(value) ? value : value.replaceAll("_", " ");
  const fit = said.has(text) ? text : saidPart(text, said);
  if (fit !== undefined) return timeOf(fit, schema, isTimeOfDay(name), said);
  // A weak model makes 14:00 of noon.
  return TIME.test(value) && said.namedTime !== undefined ? timeOf(said.namedTime, schema, true, said) : undefined;
}

/** The longest part that was said: "West Road" of "West Road, 12345". */
function saidPart(text: string, said: SaidValues): string | undefined {
  const words = [...text.matchAll(WORD)].slice(0, MAX_WORDS);
  let best = "";
  for (const [at, first] of words.entries()) {
    if (!said.proves(first[0])) continue;
    for (const last of words.slice(at, at + MAX_PART)) {
      const part = text.slice(first.index, last.index + last[0].length);
      if (part.length > best.length && (last === first || said.hasPart(part))) best = part;
    }
  }
  return best === "" ? undefined : best.replace(/['’]s$/u, "");
}

/** Without such words at the beginning and the end: "pasta" of "pasta timer for 12 minutes". */
export function withoutEnds(text: string, isLeftOut: (word: string) => boolean): string {
  const words = [...text.matchAll(WORD)].slice(0, MAX_WORDS);
  const isOwn = ([word]: RegExpExecArray) => !plainWords(word).every((each) => isLeftOut(each));
  const [first, last] = [words.find(isOwn), words.findLast(isOwn)];
  return first === undefined || last === undefined ? "" : text.slice(first.index, last.index + last[0].length);
}

const MAX_WORDS = 40;
const MAX_PART = 8;

/** @param isTime The argument holds a time, so a number alone is an hour. */
function timeOf(text: string, schema: unknown, isTime: boolean, said: SaidValues): string {
  const [, hour, minutes, half] = TIME.exec(text) ?? [];
  if (hour === undefined || (minutes === undefined && half === undefined && !isTime)) return text;
  if (!isSchema(schema) || "pattern" in schema || "format" in schema || "examples" in schema) return text;
  if (HALF_DAY.test(typeof schema["description"] === "string" ? schema["description"] : "")) return text;
  const isLate =
    half === undefined
      ? Number(hour) > 0 && Number(hour) < 12 && said.isAfternoon(Number(hour), Number(minutes ?? 0))
      : half.toLowerCase() === "p";
  const hours = (half === undefined ? Number(hour) : Number(hour) % 12) + (isLate ? 12 : 0);
  return hours > 23 ? text : `${String(hours).padStart(2, "0")}:${minutes ?? "00"}`;
}

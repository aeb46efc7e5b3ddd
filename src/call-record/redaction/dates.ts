import { type Finding, spanOf } from "./finding.ts";
import type { NumberWords } from "./number-words.ts";
import type { Token } from "./tokens.ts";

const BIRTH =
  /\b(?:born|birth|birthday|birthdate|dob)\b|geboren|geburt|nací|nacid[oa]|nacimiento|\bnée?\b|naissance|\bnat[oa]\b|nascita|\bnasci|nascimento|geboorte/u;
const WRITTEN = /^(?:(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})|(\d{4})-(\d{2})-(\d{2}))$/u;
const DAY = /^(\d{1,2})(?:st|nd|rd|th|\.|º|ª|er|e)?$/u;
/** "the 4th of July, 1976": words between the parts. */
const BETWEEN = new Set("of the de del do da di der den dem le el o in im".split(" "));
/** Dates of the last years are of bookings and bills. */
const YOUNGEST_YEARS = 4;
const CONTEXT_TOKENS = 10;

/**
 * Dates of birth: dates that stand near such a word, and full dates years ago.
 * @param year The present one.
 */
export function findBirthDates(tokens: readonly Token[], words: NumberWords, before: string, year: number): Finding[] {
  const asked =
    before
      .toLowerCase()
      .split(/(?<=[.!?])\s+/u)
      .at(-1) ?? "";
  const isAbout = (from: number, to: number) =>
    BIRTH.test(asked) ||
    BIRTH.test(
      tokens
        .slice(Math.max(0, from - CONTEXT_TOKENS), to + 4)
        .map(({ core }) => core)
        .join(" "),
    );
  const found: Finding[] = [];
  for (const [at, { core }] of tokens.entries()) {
    const date = WRITTEN.exec(core) === null ? namedDate(tokens, at, words) : writtenDate(core, at, year);
    if (date === undefined) continue;
    const isOld = date.year !== undefined && date.year > 1900 && date.year <= year - YOUNGEST_YEARS;
    if (isOld || isAbout(date.first, date.last)) found.push(spanOf("birth", tokens, date.first, date.last));
  }
  return found;
}

interface FoundDate {
  readonly first: number;
  readonly last: number;
  readonly year: number | undefined;
}

function writtenDate(core: string, at: number, present: number): FoundDate | undefined {
  const [, one = "", two = "", short = "", long = "", month = "", day = ""] = WRITTEN.exec(core) ?? [];
  const isDate = long === "" ? Number(one) <= 31 && Number(two) <= 31 : Number(month) <= 12 && Number(day) <= 31;
  if (!isDate) return undefined;
  const written = Number(long || short);
  const year = written < 100 ? written + (written + 2000 > present ? 1900 : 2000) : written;
  return { first: at, last: at, year };
}

/** A month by its name, with the day before or after it, and the year. */
function namedDate(tokens: readonly Token[], month: number, words: NumberWords): FoundDate | undefined {
  if (!words.months.has(tokens[month]?.core ?? "")) return undefined;
  let first = month;
  let last = month;
  const before = skip(tokens, month - 1, -1);
  const earlier = dayEndingAt(tokens, before, words);
  if (earlier !== undefined) first = BETWEEN.has(tokens[earlier - 1]?.core ?? "") ? earlier - 1 : earlier;
  else {
    const after = skip(tokens, month + 1, 1);
    const later = dayStartingAt(tokens, after, words);
    if (later === undefined) return yearAfter(tokens, month, words);
    last = later;
  }
  const year = yearAfter(tokens, last, words);
  return { first, last: year?.last ?? last, year: year?.year };
}

function skip(tokens: readonly Token[], from: number, step: number): number {
  let at = from;
  while (BETWEEN.has(tokens[at]?.core ?? "")) at += step;
  return at;
}

const isDay = (token: Token | undefined, words: NumberWords): boolean => {
  const core = token?.core ?? "";
  const written = Number(DAY.exec(core)?.[1] ?? NaN);
  const spoken =
    words.ordinals.get(core.replaceAll("-", " ")) ?? Number(words.digits.get(core.replaceAll("-", " ")) ?? NaN);
  return (written >= 1 && written <= 31) || (spoken >= 1 && spoken <= 31);
};

/** "twenty first" has two tokens. */
function dayEndingAt(tokens: readonly Token[], last: number, words: NumberWords): number | undefined {
  const pair = [tokens[last - 1], tokens[last]].map((token) => token?.core ?? "").join(" ");
  if (words.ordinals.has(pair) || (Number(words.digits.get(pair)) > 20 && Number(words.digits.get(pair)) <= 31))
    return last - 1;
  return isDay(tokens[last], words) ? last : undefined;
}

function dayStartingAt(tokens: readonly Token[], first: number, words: NumberWords): number | undefined {
  const pair = [tokens[first], tokens[first + 1]].map((token) => token?.core ?? "").join(" ");
  if (words.ordinals.has(pair)) return first + 1;
  return isDay(tokens[first], words) ? first : undefined;
}

/** "1980", "nineteen eighty", "two thousand and five", "neunzehnhundertachtzig". */
function yearAfter(tokens: readonly Token[], from: number, words: NumberWords): FoundDate | undefined {
  const at = skip(tokens, from + 1, 1);
  const core = tokens[at]?.core ?? "";
  if (/^(?:19|20)\d\d$/u.test(core)) return { first: from, last: at, year: Number(core) };
  const german = /^(neunzehn|zwanzig|zwei)(?:hundert|tausend)(?:und)?(\p{L}*)$/u.exec(core);
  if (german !== null) {
    const rest = Number(words.digits.get(german[2] ?? "") ?? 0);
    return { first: from, last: at, year: (german[1] === "neunzehn" ? 1900 : 2000) + rest };
  }
  const century = words.digits.get(core);
  if (century === "19" || century === "20") {
    const pair = words.digits.get(`${tokens[at + 1]?.core ?? ""} ${tokens[at + 2]?.core ?? ""}`);
    const rest = pair ?? words.digits.get((tokens[at + 1]?.core ?? "").replaceAll("-", " "));
    if (rest === undefined) return undefined;
    // "nineteen oh five" has one more word.
    const tail = rest === "0" ? words.digits.get(tokens[at + 2]?.core ?? "") : rest;
    if (tail === undefined) return undefined;
    return {
      first: from,
      last: at + (pair !== undefined || rest === "0" ? 2 : 1),
      year: Number(century) * 100 + Number(tail),
    };
  }
  if (words.thousand.has(tokens[at + 1]?.core ?? "") && century === "2") {
    const next = skip(tokens, at + 2, 1);
    const joint = ["and", "y", "e", "et"].includes(tokens[next]?.core ?? "") ? next + 1 : next;
    const rest = words.digits.get((tokens[joint]?.core ?? "").replaceAll("-", " "));
    return { first: from, last: rest === undefined ? at + 1 : joint, year: 2000 + Number(rest ?? 0) };
  }
  return undefined;
}

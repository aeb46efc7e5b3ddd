import type { NumberRules } from "./number-rules.ts";
import { plainText } from "./plain-text.ts";
import { references } from "./references.ts";
import { romanNumbers } from "./roman-numbers.ts";
import { spokenMoney } from "./spoken-money.ts";
import { spelled, spokenCodes } from "./spoken-codes.ts";
import { BEFORE, spokenDates } from "./spoken-dates.ts";
import { ownNotation, thousandsMarks } from "./spoken-notation.ts";
import { anyOf, numberPattern, pattern, plainNumber } from "./spoken-patterns.ts";
import { spokenPhones } from "./spoken-phones.ts";
import { spokenRates } from "./spoken-rates.ts";
import { namedRatios, ratios } from "./spoken-ratios.ts";
import { spokenSigns } from "./spoken-signs.ts";
import { spokenSlashes } from "./spoken-slashes.ts";
import { spokenSums } from "./spoken-sums.ts";
import { spokenValues } from "./spoken-values.ts";
import { pauses, tidy, untilStable } from "./tidy-speech.ts";
import { weekdays } from "./weekdays.ts";

/** n2words writes longer numbers in ways that no caller understands. */
const MAX_DIGITS = 15;

/** Text as it is said in a language that writes "1.234,5" or "1 234,5". No digit is left. A second call changes nothing. */
export function speakableBy(rules: NumberRules): (text: string) => string {
  const { thousands, signs, units, abbreviations, address, to, minus, per, values } = rules;
  const { currencies } = rules.money;
  const number = numberPattern(thousands);
  const plain = (digits: string) => plainNumber(digits, thousands);
  const digitsOf = (digits: string) =>
    Array.from(digits.replace(/\D/gu, ""), (digit) => rules.cardinal(digit)).join(" ");
  const agree = rules.agree ?? ((said: string) => said);
  const cardinal = (digits: string, next = "") => {
    if (/^1[1-9]\d\d$/u.test(digits)) return rules.year(Number(digits));
    const value = plain(digits);
    if (value.length > MAX_DIGITS || /^0\d/u.test(value)) return digitsOf(digits);
    return agree(rules.cardinal(value), next);
  };

  const short = pattern(`(?<![\\p{L}\\d])${anyOf(abbreviations)}(?![\\p{L}\\d])`);
  const numbered = Object.fromEntries(Object.values(rules.references).map((word) => [word, word]));
  const version = pattern(
    `(?<![\\d.,])\\d+(?:\\.\\d+){2,}(?![\\d,])|` +
      `(?<=[Vv]ers(?:i\\p{L}{1,3}|ão) |(?<!\\p{L})v)\\d+\\.\\d+(?![\\d,])|` +
      `(?<=(?<!\\p{L})${anyOf(numbered)} )\\d{1,3}\\.\\d{1,2}(?![\\d,])`,
  );
  const unit = `${anyOf(units)}(?![\\p{L}\\d/]|\\.\\p{L})`;
  const measure = pattern(`(?<![\\p{L}\\d])(${number}) ?(${unit})(?:\\.(?= \\p{Ll}))?`);
  const ordinal = pattern(`${BEFORE}(?<![\\p{L}\\d.,:/-])([1-9]\\d{0,3})(${rules.ordinalMark})`);
  const mark = `(?:${anyOf(units)}|${anyOf(currencies)}|%)`;
  const sign = `(?:${anyOf(currencies)} ?)?`;
  const range = pattern(
    `(?<![\\p{L}\\d.,:/-])(${number})( ?${mark})? ?[-–] ?(?=[-−]?${sign}(?!0\\d)(${number})(?! ?[-–] ?\\d|[\\d:/]|[.,]\\d))`,
  );
  const signBefore = pattern(
    `(?<![\\p{L}\\d])(${anyOf(currencies)}) ?(${number}) ?[-–] ?(?=(?:${number})(?! ?${mark}|[\\d:/-]|[.,]\\d))`,
  );
  const negative = pattern(`(?<![\\p{L}\\d.,)%€$£°])[-−](?=${sign}[.,]?\\d)`);
  const any = pattern(`(${number})(?: (?=(\\p{L}+)))?|\\d+`);
  const marks = Object.fromEntries(Object.entries({ ...currencies, ...signs }).filter(([key]) => /\P{L}/u.test(key)));
  const signPattern = pattern(` ?(${anyOf(marks)}) ?`);

  const dates = spokenDates(rules);
  const say = (parts: readonly string[]) =>
    parts.map((part) => spelled(part, digitsOf, (letters) => Array.from(letters).join(" "))).join(", ");
  const written = inOrder(
    thousandsMarks(thousands),
    ...(rules.rewrites ?? []).map(
      ([found, instead]) =>
        (text: string) =>
          text.replace(found, instead),
    ),
    references(rules.references),
    romanNumbers(rules.romans),
    spokenSigns({ ...values, minus, to }),
    spokenSums({ ...values, minus }),
    spokenValues(values),
    (text) => text.replace(short, (found) => abbreviations[found] ?? found),
    dates.named,
    (text) => plainText(text, (found) => found.replace(/[@./_+-]/gu, (each) => ` ${address[each] ?? ""} `)),
  );
  const grouped = inOrder(
    spokenCodes({ ...rules.codes, units: mark, say }),
    namedRatios(rules.ratio.nouns, rules.ratio.to),
    dates.numeric,
    spokenPhones(rules),
    (text) => text.replace(version, sayVersion),
    ownNotation(","),
    weekdays(rules.days, to),
    (text) => text.replace(signBefore, `$2 ${to} $1 `).replace(range, sayRange).replace(negative, ` ${minus} `),
    spokenRates({ units, counted: rules.counted, per }),
    spokenSlashes({ ...rules.slashes, fraction, slash: address["/"] ?? "", units }, number),
    ratios(rules.ratio.to),
    spokenMoney(rules, plain),
  );
  /** "3-2" is a score, and "2016-679" the number of a law. */
  const sayRange = (_: string, from: string, name: string | undefined, end: string) => {
    const isYears = /^\d{4}$/u.test(from) && /^\d\d$/u.test(end) && from.slice(2) < end;
    const isRange = name !== undefined || isYears || Number(plain(from)) <= Number(plain(end));
    return `${from}${name ?? ""}${isRange ? ` ${to} ` : ", "}`;
  };
  const sayVersion = (found: string) => {
    if (thousands === "." && /^[1-9]\d{0,2}(?:\.\d{3}){2,}$/u.test(found)) return found;
    const parts = found.split(".").map((part) => cardinal(part));
    return ` ${parts.join(` ${address["."] ?? ""} `)}`;
  };
  function fraction(top: string, bottom: string, next: string): string | undefined {
    const said = rules.fractions[`${top}/${bottom}`];
    return said === undefined ? undefined : agree(said, next);
  }
  const sayUnit = (digits: string, name: string) => {
    const [one = "", many = one] = (units[name] ?? "").split("|");
    return `${cardinal(digits, one)} ${plain(digits) === "1" ? one : many}`;
  };

  return untilStable((text) => {
    const spoken = grouped(written(text))
      .replace(measure, (_, digits: string, name: string) => ` ${sayUnit(digits, name)} `)
      .replace(
        ordinal,
        (_, word: string, digits: string, ending: string) =>
          `${word}${rules.ordinal(Number(digits), ending, word.trim().toLowerCase())} `,
      )
      .replace(
        any,
        (found, digits?: string, next?: string) =>
          ` ${digits === undefined ? digitsOf(found) : cardinal(digits, next)} `,
      )
      .replace(signPattern, (_, found: string) => ` ${(marks[found] ?? "").split("|")[1] ?? marks[found] ?? ""} `)
      .replace(/ +([,.;:!?])/gu, "$1");
    const said = tidy(pauses(spoken).replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " "));
    return /\p{L}/u.test(said) ? said : "";
  });
}

const inOrder =
  (...steps: readonly ((text: string) => string)[]) =>
  (text: string): string =>
    steps.reduce((so, step) => step(so), text);

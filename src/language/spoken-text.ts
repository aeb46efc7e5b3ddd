import type { NumberRules } from "./number-rules.ts";
import { plainText } from "./plain-text.ts";
import { romanNumbers } from "./roman-numbers.ts";
import { BEFORE, spokenDates } from "./spoken-dates.ts";
import { spokenValues } from "./spoken-values.ts";
import { anyOf, FREE, numberPattern, pattern } from "./spoken-patterns.ts";
import { pauses, tidy, untilStable } from "./tidy-speech.ts";

const PHONE = String.raw`\+\d[\d /-]{5,}\d|0\d[\d /-]+\d|\d{3}-(?:\d{3}-)?\d{4}|\d{7,}`;
/** n2words writes longer numbers in ways that no caller understands. */
const MAX_DIGITS = 15;

/** Text as it is said in a language that writes "1.234,5" or "1 234,5". No digit is left. A second call changes nothing. */
export function speakableBy(rules: NumberRules): (text: string) => string {
  const { thousands, signs, currencies, units, fractions, abbreviations, address, to, minus } = rules;
  const number = numberPattern(thousands);
  const dates = spokenDates(rules);
  const values = spokenValues(rules.values);
  const romans = romanNumbers(rules.romans);
  const agree = rules.agree ?? ((said: string) => said);

  const short = pattern(`(?<![\\p{L}\\d])${anyOf(abbreviations)}(?![\\p{L}\\d])`);
  const phone = pattern(`(?<![\\p{L}\\d.,:+]|\\d )(?:${PHONE}|${rules.phone ?? "(?!)"})(?![\\p{L}\\d]|[.,]\\d)`);
  const version = /(?<![\d.,])\d+(?:\.\d+){2,}(?![\d,])/gu;
  const before = anyOf({ "€": "", ...currencies });
  const amount = pattern(
    `${FREE}(?:(${number}) ?(€|EUR|euros?|Euro|${anyOf(currencies)})|(${before}) ?(${number}))(?!\\p{L})`,
  );
  const measure = pattern(`(?<![\\p{L}\\d])(${number}) ?(${anyOf(units)})(?![\\p{L}\\d])`);
  const rate = pattern(
    `(?<![\\p{L}\\d])(${number}) ?(${anyOf(units)})/(${anyOf({ ...units, s: "" })})(?![\\p{L}\\d/])`,
  );
  const fraction = pattern(`${FREE}${anyOf(fractions)}(?![\\d/])`);
  const ordinal = pattern(`${BEFORE}(?<![\\p{L}\\d.,:/-])([1-9]\\d{0,3})(${rules.ordinalMark})`);
  const range = pattern(`(?<![\\p{L}\\d.,:/-])(${number}) ?[-–] ?(?=(?:${number})(?![\\p{L}\\d]|[.,:/]\\d))`);
  const negative = pattern(`(?<![\\p{L}\\d.,)])[-−](?=\\d)`);
  const any = pattern(`(${number})(?: (?=(\\p{L}+)))?|\\d+`);
  const sign = pattern(` ?(${anyOf({ ...signs, ...currencies })}) ?`);

  // "1.234" is a thousand, "1.5" is written the English way.
  const grouped = pattern(`[${thousands}](?=\\d{3})`);
  const plain = (digits: string) => digits.replace(grouped, "").replace(",", ".");
  const digitsOf = (digits: string) =>
    Array.from(digits.replace(/\D/gu, ""), (digit) => rules.cardinal(digit)).join(" ");
  const cardinal = (digits: string, next = "") => {
    if (/^1[1-9]\d\d$/u.test(digits)) return rules.year(Number(digits));
    const value = plain(digits);
    if (value.length > MAX_DIGITS || /^0\d/u.test(value)) return digitsOf(digits);
    return agree(rules.cardinal(value), next);
  };
  const sayPhone = (found: string) => {
    const start = found.startsWith("+") ? `${signs["+"] ?? ""} ` : "";
    if (rules.hasPhonePairs !== true) return start + digitsOf(found);
    const pairs = found.match(/\d{1,2}/gu) ?? [];
    return start + pairs.map((pair) => (pair.startsWith("0") ? digitsOf(pair) : rules.cardinal(pair))).join(", ");
  };
  const sayAmount = (digits: string, currency: string) => {
    const word = currencies[currency];
    return word === undefined ? rules.euros(plain(digits)) : `${cardinal(digits, word)} ${word}`;
  };
  const sayVersion = (found: string) => {
    if (thousands === "." && /^\d{1,3}(?:\.\d{3})+$/u.test(found)) return found;
    const parts = found.split(".").map((part) => cardinal(part));
    return parts.join(` ${address["."] ?? ""} `);
  };
  const sayUnit = (digits: string, unit: string) => {
    const [one = "", many = one] = (units[unit] ?? "").split("|");
    return `${cardinal(digits, one)} ${plain(digits) === "1" ? one : many}`;
  };
  const sayAddress = (written: string) => written.replace(/[@./_+-]/gu, (mark) => ` ${address[mark] ?? ""} `);

  return untilStable((text) => {
    const written = dates.named(
      values(romans(text.replace(/[\u00A0\u202F]/gu, " "))).replace(short, (found) => abbreviations[found] ?? found),
    );
    const spoken = dates
      .numeric(plainText(written, sayAddress))
      .replace(phone, (found) => ` ${sayPhone(found)} `)
      .replace(version, sayVersion)
      .replace(
        amount,
        (_, digits?: string, after?: string, mark?: string, last?: string) =>
          ` ${sayAmount(digits ?? last ?? "", after ?? mark ?? "")} `,
      )
      .replace(fraction, (found) => ` ${fractions[found] ?? ""} `)
      .replace(
        rate,
        (_, digits: string, unit: string, per: string) =>
          ` ${sayUnit(digits, unit)} ${rules.per} ${(units[per] ?? rules.values.seconds).replace(/\|.*/u, "")} `,
      )
      .replace(measure, (_, digits: string, unit: string) => ` ${sayUnit(digits, unit)} `)
      .replace(
        ordinal,
        (_, word: string, digits: string, mark: string) =>
          `${word}${rules.ordinal(Number(digits), mark, word.trim().toLowerCase())} `,
      )
      .replace(range, `$1 ${to} `)
      .replace(negative, ` ${minus} `)
      .replace(
        any,
        (found, digits?: string, next?: string) =>
          ` ${digits === undefined ? digitsOf(found) : cardinal(digits, next)} `,
      )
      .replace(sign, (_, found: string) => ` ${signs[found] ?? currencies[found] ?? ""} `)
      .replace(/ +([,.;:!?])/gu, "$1");
    const said = tidy(pauses(spoken).replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " "));
    return /\p{L}/u.test(said) ? said : "";
  });
}

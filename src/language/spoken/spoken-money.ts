import type { NumberRules } from "./number-rules.ts";
import { anyOf, FREE, numberPattern, pattern } from "./spoken-patterns.ts";

const MILLION = String.raw`\p{L}{0,3}[mM]il(?:l|j|h)[\p{L}]{2,6}|[mM]iljard|[bB]il(?:l|j|h)[\p{L}]{2,6}`;

/** Amounts of money in words. `value`: digits with "." as the decimal mark. */
export function spokenMoney(rules: NumberRules, value: (digits: string) => string): (text: string) => string {
  const { currencies, and, ofMillion, scales } = rules.money;
  const number = numberPattern(rules.thousands);
  const scale = `(?: ?(${anyOf(scales)}|${MILLION})(?!\\p{L}))?`;
  const attachedScale = `(?: ?(${anyOf(scales)}(?=${anyOf(currencies)})|${anyOf(scales)}(?!\\p{L})|${MILLION}))?`;
  const after = pattern(`${FREE}(${number})${attachedScale}(?: (?:de|di|d'))? ?(${anyOf(currencies)})(?!\\p{L})`);
  const before = pattern(`(?<![\\p{L}\\d])(${anyOf(currencies)}) ?(${number})${scale}(?!\\p{L}|\\d)`);

  const cardinal = (digits: string, next: string) =>
    rules.agree?.(rules.cardinal(digits), next) ?? rules.cardinal(digits);
  const inWords = (digits: string, short: string | undefined, currency: string): string => {
    const [one = "", many = one, cent, cents] = (currencies[currency] ?? "").split("|");
    const amount = value(digits);
    if (short !== undefined) {
      const [single = short, plural = single] = (scales[short] ?? short).split("|");
      const word = amount === "1" ? single : plural;
      return `${cardinal(amount, word)} ${word} ${/^(?:tausend|mil|mille|mila|duizend)$/u.test(word) ? "" : ofMillion}${many}`;
    }
    const [whole = "0", part = ""] = amount.split(".");
    const isMillions = whole.length > 6 && whole.endsWith("000000");
    const name = Number(whole) === 1 ? one : many;
    const main = `${cardinal(whole, name)} ${isMillions ? ofMillion : ""}${name}`;
    if (Number(part) === 0 && part.length <= 2) return main;
    if (part.length > 2 || cent === undefined || cents === undefined) return `${cardinal(amount, "")} ${many}`;
    const rest = Number(part.padEnd(2, "0"));
    const small = `${cardinal(String(rest), rest === 1 ? cent : cents)} ${rest === 1 ? cent : cents}`;
    return Number(whole) === 0 ? small : `${main} ${and} ${small}`;
  };
  return (text) =>
    text
      .replace(
        after,
        (_, digits: string, short: string | undefined, currency: string) => ` ${inWords(digits, short, currency)} `,
      )
      .replace(
        before,
        (_, currency: string, digits: string, short?: string) => ` ${inWords(digits, short, currency)} `,
      );
}

import { cardinal, decimal, number } from "./number-words.ts";
import { anyOf, pattern } from "../../spoken/spoken-patterns.ts";

/** As "one|many|cent|cents". */
const currencies: Readonly<Record<string, string>> = {
  $: "dollar|dollars|cent|cents",
  "€": "euro|euros|cent|cents",
  "£": "pound|pounds|penny|pence",
  "¥": "yen|yen",
  "₹": "rupee|rupees|paisa|paise",
  "₣": "Swiss franc|Swiss francs|centime|centimes",
  A$: "Australian dollar|Australian dollars|cent|cents",
  C$: "Canadian dollar|Canadian dollars|cent|cents",
  NZ$: "New Zealand dollar|New Zealand dollars|cent|cents",
  R$: "real|reais|centavo|centavos",
};
const CODES: Readonly<Record<string, string>> = {
  EUR: "€",
  USD: "$",
  US$: "$",
  GBP: "£",
  JPY: "¥",
  INR: "₹",
  CHF: "₣",
  AUD: "A$",
  CAD: "C$",
  NZD: "NZ$",
  BRL: "R$",
};
const scales: Readonly<Record<string, string>> = {
  k: "thousand",
  m: "million",
  mn: "million",
  b: "billion",
  bn: "billion",
};

const code = anyOf(CODES);
const codeAfter = pattern(`(?<=\\d ?)(${code})(?!\\p{L})`);
/** "INR 2.5" is a blood value, and "CAD 2024" a program. */
const codeBefore = pattern(
  `(?<![\\p{L}/])(?!INR ?\\d{1,2}(?:\\.\\d)?(?![\\d.,])|CAD ?(?:20\\d\\d(?![\\d.,])|\\dD))(${code}) ?(?=[-−]?[.,]?\\d)`,
);

/** Codes as signs: "20 EUR" -> "20 €". A range of amounts needs them. */
export const currencySigns = (text: string): string =>
  text
    .replace(codeAfter, (_, found: string) => CODES[found] ?? found)
    .replace(codeBefore, (_, found: string) => CODES[found] ?? found);

const SIGN = `(?:(?<!\\p{L})(?:A|C|NZ|R)(?=\\$))?[$€£¥₹₣]`;
const SCALE = "(?: ?(million|billion|trillion|thousand|bn|mn|[kKmMbB])(?![\\p{L}\\d]))?";
const before = pattern(`(${SIGN}) ?(${number})${SCALE}`);
const after = pattern(`(?<![\\d.,])(${number})${SCALE} ?(${SIGN})`);
const cents = pattern(`(?<![\\d.,])(${number}) ?¢`);

/** Amounts of money in words. */
export const spokenMoney = (text: string): string =>
  text
    .replace(cents, (_, amount: string) => `${decimal(amount)} ${amount === "1" ? "cent" : "cents"}`)
    .replace(before, (_, sign: string, amount: string, scale?: string) => ` ${inWords(sign, amount, scale)} `)
    .replace(
      after,
      (_, amount: string, scale: string | undefined, sign: string) => ` ${inWords(sign, amount, scale)} `,
    );

function inWords(sign: string, amount: string, scale: string | undefined): string {
  const [one = "", many = "", cent, hundredths] = (currencies[sign] ?? "").split("|");
  if (scale !== undefined) return `${decimal(amount)} ${scales[scale.toLowerCase()] ?? scale} ${many}`;
  const [whole = "0", part = ""] = amount.replaceAll(",", "").split(".");
  const main = `${cardinal(whole)} ${Number(whole) === 1 ? one : many}`;
  if (Number(part) === 0 && part.length <= 2) return main;
  if (part.length !== 2 || cent === undefined) return `${decimal(amount)} ${many}`;
  const small = `${cardinal(String(Number(part)))} ${part === "01" ? cent : (hundredths ?? "")}`;
  return Number(whole) === 0 ? small : `${main} and ${small}`;
}

import { pattern } from "./spoken-patterns.ts";

export interface CodeWords {
  /** Nouns before a code, as a pattern. */
  readonly names: string;
  /** Words between the noun and the code, as a pattern: "number|is". */
  readonly links: string;
  /** After an amount, as a pattern: "years?|euros?". The number before them is not a code. */
  readonly counted: string;
  /** Units after an amount, as a pattern. A range of amounts is not a code. */
  readonly units: string;
  /** A code as it is said. It is cut at spaces and hyphens. */
  readonly say: (parts: readonly string[]) => string;
}

const CODE = String.raw`(?=[A-Z\d-]*\d)(?:[A-Z]{1,4}-?)?\d+(?:[A-Z]{1,2})?(?:[- ]?[A-Z]{0,2}\d+)*(?:[- ]?\d[A-Z]{2}|[A-Z])?`;
/** No range: letters or a zero come first, or the second part is much longer. */
const HYPHENED = String.raw`(?<![\p{L}\d.,:/$€£¥-]|[)$€£¥] ?)((?:[A-Z]{1,3}\d+|\d{1,3})-(?:\d{5,}|0\d+)|(?:19|20)\d\d-0\d+|[A-Z]{1,3}\d{2,}-\d+|[A-Z]{1,3}\d+-\d+[A-Z]{1,3}|0\d+-\d+|\d{4,}-[A-Z]{1,3}|(?<=(?:[Nn]umber|[Cc]ase) )\d{1,2}-\d{3,5})(?![\p{L}\d%-]|[.,:]\d)`;
const flight =
  /(?<=(?<!\p{L})(?:[Ff]light|Flug|[Vv]ol|[Vv]uelo|[Vv]olo|[Vv]oo|[Vv]lucht) )(?=[A-Z\d]?[A-Z])[A-Z\d]{2} ?\d{1,4}(?![\p{L}\d]|[.,:]\d)/gu;
const iban = /(?<![\p{L}\d])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,4})?(?![\p{L}\d])/gu;

const card = /(?<![\p{L}\d.,+-]|\d )\d{4}(?:[ -]\d{4}){3}(?![\p{L}\d]|[ .,-]\d)/gu;

/** Codes are said digit by digit: "Your PIN is 1234", "A17-9932", an IBAN. */
export function spokenCodes({ names, links, counted, units, say }: CodeWords): (text: string) => string {
  const link = String.raw`(?: (?:${links})){0,4}:? ?#?\*{0,2}`;
  const named = pattern(
    String.raw`(?<=(?<!\p{L})(?:${names})${link} ?)(?<![\p{L}\d$€£¥.,:/+-])(${CODE})(?![\p{L}\d%°$€£¥/]|[.,:]\d|[-–] ?\d| ?(?:${counted})(?!\p{L}))`,
    "giu",
  );
  const hyphened = pattern(`${HYPHENED}(?! ?(?:${units}|[%€$£])(?!\\p{L}))`);
  const inDigits = (code: string): string => say(code.split(/[- ]/u));
  return (text) =>
    text
      .replace(iban, (code) => inDigits(code.replaceAll(" ", "").replace(/.{4}(?=.)/gu, "$& ")))
      .replace(card, inDigits)
      .replace(flight, (code) => say([code]))
      .replace(hyphened, inDigits)
      .replace(named, (code) => (isCode(code) ? inDigits(code) : code));
}

/** Small numbers are said as numbers: "order 12". */
const isCode = (code: string): boolean =>
  /[A-Z-]/u.test(code) ? /\d{2}|[A-Z]\d+[A-Z]/u.test(code) : /^\d{3,}$|^\d+(?: \d+)+$/u.test(code);

/** Digits and letters in turn, one by one. */
export const spelled = (part: string, digits: (run: string) => string, letters: (run: string) => string): string =>
  Array.from(part.matchAll(/\d+|\p{L}+/gu), ([run]) => (/\d/u.test(run) ? digits(run) : letters(run))).join(" ");

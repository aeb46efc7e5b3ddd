import { anyOf, pattern } from "./spoken-patterns.ts";

export interface SlashWords {
  /** "one half", or undefined when people do not say a fraction. */
  readonly fraction: (top: string, bottom: string, next: string) => string | undefined;
  /** "1 1/2": a whole number and its fraction, in words. */
  readonly mixed: (whole: string, fraction: string, next: string) => string;
  /** "7/10", not as a fraction. */
  readonly outOf: string;
  /** "120/80". */
  readonly over: string;
  /** "2016/679". */
  readonly slash: string;
  /** As "singular|plural". */
  readonly units: Readonly<Record<string, string>>;
}

const YEAR = /^(?:19|20)\d\d$/u;
/** Said without a word between them, as are shares of 100. */
const PAIRS = /^(?:24\/7|9\/11|20\/20)$/u;

/** Between two values, not parts of one. */
const spaced = /(?<=\d ?[\p{L}%°]{0,6}) \/ (?=[\d$€£])(?!\d{2,3} ?mmHg)/gu;

/** Full marks. */
const SCORES = new Set(["5", "10", "20", "100"]);

/** Two numbers with a slash between them: a fraction, a score, a blood pressure or a number of a law. */
export function spokenSlashes(words: SlashWords, number: string): (text: string) => string {
  const unit = `(?: ?(${anyOf(words.units)})(?![\\p{L}\\d/]))?(?=(?: (\\p{L}+))?)`;
  const mixed = pattern(`(?<![\\p{L}\\d.,:/-])(\\d{1,3})[ -](\\d{1,2})/(\\d{1,2})(?![\\d/]|[.,]\\d)${unit}`);
  const pair = pattern(`(?<![\\d/.,])(${number}) ?/ ?(${number})(?![\\d/]|[.,]\\d)${unit}`);
  const named = (short: string | undefined, form: 0 | 1) => {
    const forms = (words.units[short ?? ""] ?? "").split("|");
    return short === undefined ? "" : ` ${forms[form] ?? forms[0] ?? ""}`;
  };
  return (text) =>
    text
      .replace(spaced, ", ")
      .replace(/(?<=\p{Lu}-\d{1,5})\/(?=\d)/gu, ` ${words.slash} `)
      .replace(mixed, (found, whole: string, top: string, bottom: string, short?: string, next?: string) => {
        const part = words.fraction(top, bottom, "");
        return part === undefined ? found : words.mixed(whole, part, next ?? "") + named(short, 1);
      })
      .replace(pair, (_, top: string, bottom: string, short?: string, next?: string) => {
        const after = short === undefined ? "" : ` ${short}`;
        if (PAIRS.test(`${top}/${bottom}`) || Number(top) + Number(bottom) === 100) return `${top} ${bottom}${after}`;
        if (YEAR.test(top) || YEAR.test(bottom)) return `${top} ${words.slash} ${bottom}${after}`;
        const isWhole = /^\d{1,3}$/u.test(top) && /^\d{1,3}$/u.test(bottom);
        const part = isWhole ? words.fraction(top, bottom, named(short, 0).trim() || (next ?? "")) : undefined;
        if (part !== undefined) return part + named(short, 0);
        const isLess = Number(top.replace(",", ".")) <= Number(bottom);
        const between = isLess ? (SCORES.has(bottom) ? words.outOf : words.slash) : words.over;
        return `${top} ${between} ${bottom}${after}`;
      });
}

import { pattern } from "./spoken-patterns.ts";

export interface SlashWords {
  /** "one half", or undefined when people do not say a fraction. */
  readonly fraction: (top: string, bottom: string, next: string) => string | undefined;
  /** "1 1/2": a whole number and its fraction, in words. */
  readonly mixed: (whole: string, fraction: string, top: string, bottom: string) => string;
  /** "7/10", not as a fraction. */
  readonly outOf: string;
  /** "120/80". */
  readonly over: string;
  /** "2016/679". */
  readonly slash: string;
}

const YEAR = /^(?:19|20)\d\d$/u;
const PAIRS = /^(?:24\/7|9\/11|50\/50|20\/20)$/u;
const mixed = /(?<![\p{L}\d.,:/-])(\d{1,4}) (\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d)/gu;

/** Two numbers with a slash between them: a fraction, a score, a blood pressure or a number of a law. */
export function spokenSlashes(words: SlashWords, number: string): (text: string) => string {
  const pair = pattern(`(?<![\\d/.,])(${number}) ?/ ?(${number})(?![\\d/])(?=( \\p{L}+)?)`);
  return (text) =>
    text
      .replace(mixed, (found, whole: string, top: string, bottom: string) => {
        const part = words.fraction(top, bottom, "");
        return part === undefined ? found : words.mixed(whole, part, top, bottom);
      })
      .replace(pair, (found, top: string, bottom: string, next = "") => {
        if (PAIRS.test(found)) return `${top} ${bottom}`;
        if (YEAR.test(top) || YEAR.test(bottom)) return `${top} ${words.slash} ${bottom}`;
        const isWhole = /^\d{1,3}$/u.test(top) && /^\d{1,3}$/u.test(bottom);
        const part = isWhole ? words.fraction(top, bottom, (next as string).trim()) : undefined;
        if (part !== undefined) return part;
        return `${top} ${Number(top.replace(",", ".")) <= Number(bottom.replace(",", ".")) ? words.outOf : words.over} ${bottom}`;
      });
}

import { pattern } from "./spoken-patterns.ts";

/** "Dilution 1:10", not a time of day beside one of these nouns. */
export function namedRatios(nouns: string, to: string): (text: string) => string {
  const named = pattern(
    `(?=\\d{1,5} ?:)(?<=(?:${nouns})[^\\d.;!?]{0,20})(\\d{1,5})(?::| : )(\\d{1,6})(?![\\d:])`,
    "giu",
  );
  const before = pattern(`(\\d{1,5})(?::| : )(\\d{1,6})(?![\\d:])(?=[^\\d.;!?]{0,12}(?:${nouns}))`, "giu");
  return (text) => text.replace(named, `$1 ${to} $2`).replace(before, `$1 ${to} $2`);
}

const ratio = /(?<![\d.:]|[Aa]rti\p{L}{1,5} )(\d{1,4})(?::| : )(\d{1,6})(?![\d:]|[.,]\d)/gu;

/** "1:1000". Times of day must be gone already. */
export const ratios =
  (to: string) =>
  (text: string): string =>
    text.replace(ratio, `$1 ${to} $2`);

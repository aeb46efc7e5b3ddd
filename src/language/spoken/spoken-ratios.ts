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
/** A standard and its year: "ISO 9001:2015". */
const edition =
  /(?<=(?<!\p{L})(?:ISO|IEC|EN|DIN|IEEE|ASTM|BS|NF|UNE|UNI|NEN)(?:[ /-](?:IEC|ISO|EN))* ?\d{1,6}(?:-\d{1,3})?):(?=(?:19|20)\d\d(?!\d))/gu;

/** "1:1000". Times of day must be gone already. */
export const ratios =
  (to: string) =>
  (text: string): string =>
    text.replace(edition, ", ").replace(ratio, `$1 ${to} $2`);

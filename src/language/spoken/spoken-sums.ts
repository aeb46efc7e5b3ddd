import { pattern } from "./spoken-patterns.ts";

export interface SumWords {
  readonly times: string;
  /** "3 x 4", where that is another word. */
  readonly by?: string;
  readonly divided: string;
  readonly minus: string;
  readonly about: string;
}

/** Between two numbers of a sum: an equals sign comes after them, with nothing but numbers and signs before it. */
const sign = pattern(
  String.raw`(?<=[\d)%] ?)(?:[*×x÷]|[-−–]|(?<= )/(?= )) ?(?=\(?[$€£¥]?\d[\d.,()+*x×÷/ $€£¥%−–-]{0,60}= ?[-−(]?[$€£¥]?[\d?])`,
);
const about = /(?<![~\p{L}\d])[~≈] ?(?=[$€£¥]?\d)/gu;
/** "1.5e-3". A whole number needs a sign after the letter: "12e5" may be a name. */
const scientific =
  /(?<![\p{L}\d.,])(\d+[.,]\d+[eE]\+?|\d+[eE]\+|\d+(?:[.,]\d+)?[eE](?=-))(-?\d{1,3})(?![\p{L}\d]|[.,]\d)/gu;
const timesPower = /(?<=\d) ?[x×*] ?(?=10(?:\^|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]))/gu;
/** "2 x 500 mg", and the sides of an area: "3 x 4". */
const product = /(?<=(?<![\p{L}\d.,])\d{1,7}) ?[x×] ?(?=\d)|(?<=\d ?\p{L}{1,12}) [x×] ?(?=\d)/gu;
/** "2x daily". */
const multiple = /(?<![\p{L}\d.,])(\d{1,4}(?:[.,]\d{1,2})?) ?[x×](?! ?\d)(?=[ ,;!?/]|\.?$)/gu;

/** Signs that are Markdown or a range elsewhere: "5 * 3 = 15" -> "5 times 3 = 15", "~5" -> "about 5". */
export function spokenSums({ times, by = times, divided, minus, about: nearly }: SumWords): (text: string) => string {
  const names: Readonly<Record<string, string>> = { "*": times, "×": times, x: times, "÷": divided, "/": divided };
  return (text) =>
    text
      .replace(
        scientific,
        (_, mantissa: string, exponent: string) => `${mantissa.replace(/[eE]\+?$/u, "")} ${times} 10^${exponent}`,
      )
      .replace(timesPower, ` ${times} `)
      .replace(sign, (found) => ` ${names[found.trim()] ?? minus} `)
      .replace(product, ` ${by} `)
      .replace(multiple, `$1 ${times} `)
      .replace(about, `${nearly} `);
}

import { pattern } from "./spoken-patterns.ts";

export interface SumWords {
  readonly times: string;
  /** "3 x 4", where that is another word. */
  readonly by?: string;
  readonly divided: string;
  readonly minus: string;
  /** "5 to 10". */
  readonly to: string;
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

/** "UTC-5", "GMT+02:00". */
const timeZone = /(?<=(?<!\p{L})(?:UTC|GMT)) ?([+−–-]) ?0?(\d{1,2})(?::00)?(?!\d)/gu;

/** A blood group, a result or a grade: "O-", "HIV-". Not the first of two words that share an end: "A- und B-Probe". */
const negative =
  /(?<![\p{L}\d])(AB|[A-DO]|Rh|HIV|HBV|HCV|HER2|PCR)[-−–](?=$|[,.;:!?)\s])(?!(?:, \p{Lu}{1,2}-)*,? \p{Ll}{1,6} \p{Lu}{1,2}-\p{L}| (?:and|or|und|oder|bis|en|of) (?!(?:AB|[A-DO]|Rh)[-+−–]))/gu;
/** "5…10". */
const dots = /(?<=\d[%°]?[CF]?)(?:…|\.\.\.?)(?=[-−]?\d)/gu;
/** "-5–-3". */
const belowZero = /(?<=(?<![\p{L}\d.,])[-−]\d{1,4}(?:[.,]\d{1,2})?(?: ?[%°])?[CF]?) ?[-–] ?(?=[-−]\d)/gu;
/** "½-1", "1-1½", "1/2-1". A dash between whole numbers may be that of a telephone number. */
const halves =
  /(?<=[¼½¾⅓⅔⅛]|(?<![\d/])(?:1\/[2348]|2\/3|3\/4)) ?[-–] ?(?=\d(?![\d/])|[¼½¾⅓⅔⅛])|(?<=(?<!\d)\d{1,2}) ?[-–] ?(?=\d{0,2} ?[¼½¾⅓⅔⅛]|\d (?:1\/[2348]|2\/3|3\/4)(?![\d/]))/gu;

/** Signs that are Markdown or a range elsewhere: "5 * 3 = 15" -> "5 times 3 = 15", "~5" -> "about 5". */
export function spokenSums({
  times,
  by = times,
  divided,
  minus,
  to,
  about: nearly,
}: SumWords): (text: string) => string {
  const names: Readonly<Record<string, string>> = { "*": times, "×": times, x: times, "÷": divided, "/": divided };
  return (text) =>
    text
      .replace(
        scientific,
        (_, mantissa: string, exponent: string) => `${mantissa.replace(/[eE]\+?$/u, "")} ${times} 10^${exponent}`,
      )
      .replace(timeZone, (_, offset: string, hours: string) => ` ${offset === "+" ? "+" : minus} ${hours}`)
      .replace(negative, `$1 ${minus}`)
      .replace(dots, "–")
      .replace(belowZero, ` ${to} `)
      .replace(halves, ` ${to} `)
      .replace(timesPower, ` ${times} `)
      .replace(sign, (found) => ` ${names[found.trim()] ?? minus} `)
      .replace(product, ` ${by} `)
      .replace(multiple, `$1 ${times} `)
      .replace(about, `${nearly} `);
}

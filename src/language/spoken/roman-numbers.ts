const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };
/** 1 to 99. One letter L, and "XL", are rather a name or a size. */
const NUMERAL = String.raw`(?!(?:L|XL)(?!\p{L}))(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})`;

export interface RomanNames {
  /** Names of kings and popes, as a pattern. */
  readonly kings: string;
  /** "the eighth", "quatorze". */
  readonly king: (value: number) => string;
  /** Titles before a name with "I", where that is also a word. Absent: any name may have it. */
  readonly titles?: string;
  /** The mark of an ordinal, as a pattern. */
  readonly mark?: string;
  /** Nouns that are counted: "chapter", "war". A capitalised word before two numerals or more counts too. */
  readonly counted: string;
  /** A noun after the number, as a pattern, and the mark of an ordinal: "siècle", "e". */
  readonly century?: { readonly noun: string; readonly mark: string };
}

/** "Henry VIII" -> "Henry the eighth", "Chapter IV" -> "Chapter 4". Other capitals stay. */
export function romanNumbers({
  kings,
  king,
  titles,
  mark = "",
  counted,
  century,
}: RomanNames): (text: string) => string {
  const end = String.raw`(?![\p{L}\d'-])`;
  const first = titles === undefined ? "" : `(?:(?!I(?!\\p{L}))|(?<=(?<!\\p{L})(?:${titles}) \\p{L}+ ))`;
  const afterKing = new RegExp(
    `(?<=(?<!\\p{L})(?:${kings}) )${first}(?=[IVXL])(${NUMERAL})(?:${mark})?(?=[ ,;:!?'’)]|\\.|$)${end}`,
    "gu",
  );
  const nouns = `(?<=(?<!\\p{L})(?:${counted}|NYHA|CCS|ASA) )(?=[IVXL])`;
  const range = new RegExp(`${nouns}(${NUMERAL}) ?([-–/]) ?(?=[IVXL])(${NUMERAL})${end}`, "giu");
  // "Stage IIIb".
  const afterNoun = new RegExp(`${nouns}(${NUMERAL})(?:([abc])(?![\\p{L}\\d'-])|${end})`, "giu");
  const beforeNoun = new RegExp(
    `(?<![\\p{L}\\d])(?=[IVX])(${NUMERAL})\\p{Ll}{0,3}\\.? (?=${century?.noun ?? "(?!)"})`,
    "gu",
  );
  return (text) =>
    text
      .replace(afterKing, (_, numeral: string) => king(valueOf(numeral)))
      .replace(beforeNoun, (_, numeral: string) => `${String(valueOf(numeral))}${century?.mark ?? ""} `)
      .replace(range, (whole, from: string, between: string, to: string) =>
        /\p{Ll}/u.test(from + to) ? whole : [valueOf(from), valueOf(to)].join(between === "/" ? ", " : "–"),
      )
      .replace(afterNoun, (whole, numeral: string, part = "") =>
        /\p{Ll}/u.test(numeral) ? whole : [valueOf(numeral), ...(part === "" ? [] : [part])].join(" "),
      );
}

function valueOf(numeral: string): number {
  let value = 0;
  for (let at = 0; at < numeral.length; at += 1) {
    const [one, next] = [VALUES[numeral[at] ?? ""] ?? 0, VALUES[numeral[at + 1] ?? ""] ?? 0];
    value += one < next ? -one : one;
  }
  return value;
}

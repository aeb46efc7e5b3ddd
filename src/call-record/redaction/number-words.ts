import { toCardinal as german, toOrdinal as germanOrdinal } from "n2words/de-DE";
import { toCardinal as english, toOrdinal as englishOrdinal } from "n2words/en-US";
import { toCardinal as spanish } from "n2words/es-ES";
import { toCardinal as french } from "n2words/fr-FR";
import { toCardinal as italian } from "n2words/it-IT";
import { toCardinal as dutch } from "n2words/nl-NL";
import { toCardinal as portuguese } from "n2words/pt-PT";

/** The number words of a language, lower case, with spaces in the place of hyphens. */
export interface NumberWords {
  /** "seven" is "7", "forty" is "40", "eighty one" is "81". Up to 99. */
  readonly digits: ReadonlyMap<string, string>;
  readonly hundred: ReadonlySet<string>;
  readonly thousand: ReadonlySet<string>;
  /** "double", "triple". */
  readonly repeats: ReadonlyMap<string, number>;
  /** 1 to 31, for days. */
  readonly ordinals: ReadonlyMap<string, number>;
  /** Months by name, 1 to 12. */
  readonly months: ReadonlyMap<string, number>;
}

interface Forms {
  readonly cardinal: (value: number) => string;
  readonly ordinal?: (value: number) => string;
  /** Other words for digits: "oh 0". */
  readonly also?: string;
  readonly hundred: string;
  readonly thousand: string;
  readonly repeats?: string;
}

const FORMS: Readonly<Record<string, Forms>> = {
  en: {
    cardinal: english,
    ordinal: englishOrdinal,
    also: "oh 0|o 0|nought 0|naught 0",
    hundred: "hundred",
    thousand: "thousand",
    repeats: "double 2|triple 3|treble 3|quadruple 4",
  },
  de: {
    cardinal: german,
    ordinal: germanOrdinal,
    also: "zwo 2|fünfe 5|ein 1|eine 1",
    hundred: "hundert",
    thousand: "tausend",
    repeats: "doppel 2|zweimal 2|dreimal 3",
  },
  es: { cardinal: spanish, also: "un 1|una 1", hundred: "cien|ciento", thousand: "mil", repeats: "doble 2|triple 3" },
  fr: { cardinal: french, also: "une 1", hundred: "cent|cents", thousand: "mille", repeats: "double 2|triple 3" },
  it: { cardinal: italian, also: "un 1|una 1", hundred: "cento", thousand: "mila|mille", repeats: "doppio 2|triplo 3" },
  pt: { cardinal: portuguese, also: "meia 6|uma 1|duas 2", hundred: "cem|cento", thousand: "mil", repeats: "duplo 2" },
  nl: { cardinal: dutch, also: "één 1", hundred: "honderd", thousand: "duizend", repeats: "dubbel 2" },
};

const plain = (word: string) => word.toLowerCase().replaceAll(/[-\u00AD]/gu, " ");

const pairsOf = (text = ""): [string, number][] =>
  text
    .split("|")
    .filter(Boolean)
    .map((pair) => [pair.split(" ")[0] ?? "", Number(pair.split(" ")[1])]);

function wordsFor(code: string, { cardinal, ordinal, also, hundred, thousand, repeats }: Forms): NumberWords {
  const digits = new Map(pairsOf(also).map(([word, value]) => [word, String(value)]));
  for (let value = 0; value < 100; value += 1) digits.set(plain(cardinal(value)), String(value));
  const ordinals = new Map<string, number>();
  if (ordinal !== undefined) for (let day = 1; day <= 31; day += 1) ordinals.set(plain(ordinal(day)), day);
  // German declines them: "am zwölften".
  if (code === "de") for (const [word, day] of Array.from(ordinals)) ordinals.set(`${word}n`, day);
  const months = new Map<string, number>();
  for (let month = 1; month <= 12; month += 1)
    for (const style of ["long", "short"] as const)
      months.set(
        new Intl.DateTimeFormat(code, { month: style, timeZone: "UTC" })
          .format(Date.UTC(2000, month - 1, 15))
          .toLowerCase()
          .replace(/\.$/u, ""),
        month,
      );
  return {
    digits,
    hundred: new Set(hundred.split("|")),
    thousand: new Set(thousand.split("|")),
    repeats: new Map(pairsOf(repeats)),
    ordinals,
    months,
  };
}

const NONE: NumberWords = {
  digits: new Map(),
  hundred: new Set(),
  thousand: new Set(),
  repeats: new Map(),
  ordinals: new Map(),
  months: new Map(),
};

const known = new Map<string, NumberWords>();

/** @param code Primary BCP-47 tag. A language without a pack has written digits only. */
export function numberWords(code: string): NumberWords {
  const forms = FORMS[code];
  if (forms === undefined) return NONE;
  const words = known.get(code) ?? wordsFor(code, forms);
  known.set(code, words);
  return words;
}

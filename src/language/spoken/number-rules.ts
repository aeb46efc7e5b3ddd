import type { RomanNames } from "./roman-numbers.ts";
import type { CodeWords } from "./spoken-codes.ts";
import type { SlashWords } from "./spoken-slashes.ts";
import type { SignWords } from "./spoken-signs.ts";
import type { SumWords } from "./spoken-sums.ts";
import type { ValueWords } from "./spoken-values.ts";

/** How a language says numbers, dates and times. The number words come from the n2words package. */
export interface NumberRules {
  /** `value` is "12" or "3.05". */
  readonly cardinal: (value: string) => string;
  /** A cardinal as it stands before the next word: "eins" before "Minute" is "eine". Absent: it stays. */
  readonly agree?: (said: string, next: string) => string;
  /** The mark of a written ordinal, as a pattern. Two letters such as "º" arrive as "o". */
  readonly ordinalMark: string;
  /** `before` and `mark`: the word before the number, and its mark. */
  readonly ordinal: (value: number, mark: string, before: string) => string;
  /** The mark between groups of three digits. */
  readonly thousands: string;
  readonly year: (year: number) => string;
  /** Month names, January first, each with its short form. */
  readonly months: readonly string[];
  /** The mark after a day, and the word between day, month and year, as patterns. */
  readonly dayMark: string;
  readonly ofMonth: string;
  readonly day: (day: number, before: string) => string;
  readonly date: (day: string, month: string, year: string | undefined) => string;
  /** Words before a day and a month with a slash between them, as a pattern: "el 3/4". */
  readonly dayBefore: string;
  /** The marks between hours and minutes, and the unit after them that `time` says, as patterns. */
  readonly clockMark: string;
  readonly clockUnit: string;
  readonly time: (hours: string, minutes: string | undefined) => string;
  /** A telephone number without + or 0 at its beginning, as a pattern. */
  readonly phone?: string;
  /** Telephone numbers are said in pairs of digits. */
  readonly hasPhonePairs?: boolean;
  readonly signs: Readonly<Record<string, string>>;
  readonly money: MoneyWords;
  /** After a number, as "singular|plural". */
  readonly units: Readonly<Record<string, string>>;
  /** Between two units: "kilometres PER hour". */
  readonly per: string;
  /** Other words after a slash, as a pattern: "Tag|Monat". */
  readonly counted: string;
  readonly values: ValueWords & Omit<SumWords, "minus"> & Omit<SignWords, "minus" | "to">;
  readonly romans: RomanNames;
  readonly fractions: Readonly<Record<string, string>>;
  readonly slashes: Pick<SlashWords, "mixed" | "outOf" | "over">;
  /** The word in "1:1000", and nouns before ratios that look like times of day, as a pattern. */
  readonly ratio: { readonly to: string; readonly nouns: string };
  readonly codes: Omit<CodeWords, "say" | "units">;
  /** Days of the week with their short forms, Monday first. */
  readonly days: readonly string[];
  /** Words before a number that name it: "Art." -> "Artikel". */
  readonly references: Readonly<Record<string, string>>;
  /** Notations of this language alone. They are written out first. */
  readonly rewrites?: readonly (readonly [found: RegExp, instead: string])[];
  /** Signs of addresses of the web and of mail. */
  readonly address: Readonly<Record<string, string>>;
  /** Said between the two numbers of a range. */
  readonly to: string;
  readonly minus: string;
  readonly abbreviations: Readonly<Record<string, string>>;
}

export interface MoneyWords {
  /** By sign, code and name, as "one|many|cent|cents". */
  readonly currencies: Readonly<Record<string, string>>;
  /** Between the two parts of an amount: "zwölf Euro UND fünfzig Cent". */
  readonly and: string;
  /** After a million: "un million D'euros". */
  readonly ofMillion: string;
  /** Short forms between a number and a currency, as "one|many". */
  readonly scales: Readonly<Record<string, string>>;
}

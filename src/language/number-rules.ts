import type { RomanNames } from "./roman-numbers.ts";
import type { ValueWords } from "./spoken-values.ts";

/** How a language says numbers, dates and times. The number words come from the n2words package. */
export interface NumberRules {
  /** `value` is "12" or "3.05". */
  readonly cardinal: (value: string) => string;
  readonly euros: (value: string) => string;
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
  /** The marks between hours and minutes, and the unit after them that `time` says, as patterns. */
  readonly clockMark: string;
  readonly clockUnit: string;
  readonly time: (hours: string, minutes: string | undefined) => string;
  /** A telephone number without + or 0 at its beginning, as a pattern. */
  readonly phone?: string;
  /** Telephone numbers are said in pairs of digits. */
  readonly hasPhonePairs?: boolean;
  readonly signs: Readonly<Record<string, string>>;
  /** Signs of money that may stand before the number. */
  readonly currencies: Readonly<Record<string, string>>;
  /** After a number, as "singular|plural". */
  readonly units: Readonly<Record<string, string>>;
  /** Between two units: "kilometres PER hour". */
  readonly per: string;
  readonly values: ValueWords;
  readonly romans: RomanNames;
  readonly fractions: Readonly<Record<string, string>>;
  /** Signs of addresses of the web and of mail. */
  readonly address: Readonly<Record<string, string>>;
  /** Said between the two numbers of a range. */
  readonly to: string;
  readonly minus: string;
  readonly abbreviations: Readonly<Record<string, string>>;
}

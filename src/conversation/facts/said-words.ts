import type { NamedNumber } from "../../language/facts.ts";
import type { Language } from "../../language/language.ts";
import { wordsOf } from "../../language/words.ts";

/** Characters of one conversation that are compared. The newest texts count. */
const MAX_CHARS = 12_000;
/** Numbers have many written forms: "4th", "4.", "4º". */
const ORDINAL_MARKS = ["", "st", "nd", "rd", "th", ".", "e", "º", "ª"];
const ZERO = /^oh?$/u;

/** Numbers that a word may stand for, and the time that it names. Half and a quarter are also minutes. A period is one, or its days and months. */
const NAMED: readonly (readonly [NamedNumber, readonly number[], string?])[] = [
  ["noon", [12], "12:00"],
  ["midnight", [], "00:00"],
  ["half", [0.5, 30]],
  ["quarter", [0.25, 0.75, 15, 45]],
  ["two", [2]],
  ["period", [1, 12, 30, 365]],
];

/** The words of a conversation, as they were said. Numbers are found in digits and in words of the language. */
export class SaidWords {
  readonly #language: Language;
  readonly #words: ReadonlySet<string>;
  /** All words in their order, with a space on both sides. */
  readonly #text: string;
  /** Without spaces: "check up" is "checkup". */
  readonly #letters: string;
  readonly #digits: string;
  /** Numbers of words such as "noon" and "half". */
  readonly #named: ReadonlySet<number>;
  /** Times of day that words name: "12:00" of "noon". */
  readonly namedTimes: readonly string[];
  /** Words stand for numbers, or for days, that they do not name. */
  readonly hasVagueNumbers: boolean;
  readonly hasVagueDays: boolean;
  /** Words mean the number 1. */
  readonly hasOne: boolean;

  constructor(texts: readonly string[], language: Language) {
    const recent = withinLimit(texts);
    this.#language = language;
    const said = recent.map((text) => plainWords(text).join(" "));
    const spoken = recent
      .filter((text) => /\d/u.test(text))
      .map((text) => plainWords(language.speakable(text)).join(" "));
    // Numbers may be said with or without an "and".
    const bare = [...said, ...spoken]
      .filter((text) => text.includes(" and "))
      .map((text) => text.replaceAll(" and ", " "));
    this.#text = ` ${[...said, ...spoken, ...bare].join(" | ")} `;
    this.#words = new Set(this.#text.split(" "));
    this.#letters = said.join("|").replaceAll(" ", "");
    this.#digits = said.map((text) => digitsIn(text, language)).join("|");
    const { one, named, vagueNumbers, vagueDays } = language.facts;
    const names = NAMED.filter(([name]) => recent.some((text) => named[name].test(text)));
    this.#named = new Set(names.flatMap(([, numbers]) => numbers));
    this.namedTimes = names.flatMap(([, , time]) => time ?? []);
    this.hasOne = recent.some((text) => one.test(text));
    this.hasVagueNumbers = recent.some((text) => vagueNumbers.test(text));
    this.hasVagueDays = recent.some((text) => vagueDays.test(text));
  }

  /** The language says numbers in words that are known here. */
  get knowsNumbers(): boolean {
    return !/\d/u.test(this.#language.speakable("4"));
  }

  hasWord(word: string): boolean {
    const [plain = ""] = plainWords(word);
    if (this.#words.has(plain) || (plain.length > 3 && this.#letters.includes(plain))) return true;
    for (const said of this.#words) if (resembles(said, plain)) return true;
    return false;
  }

  /** Successive words of any number. */
  hasText(text: string): boolean {
    const letters = plainWords(text).join("");
    return letters.length > 3 && this.#letters.includes(letters);
  }

  /** Words that were said one after another. */
  hasSequence(text: string): boolean {
    return this.#text.includes(` ${plainWords(text).join(" ")} `);
  }

  /** Digits that were said one after another, in groups of any size. */
  hasDigits(digits: string): boolean {
    return digits.length > 2 && this.#digits.includes(digits);
  }

  /** The number itself, as a cardinal or ordinal, or in pairs of digits. */
  hasNumber(number: number): boolean {
    if (this.#named.has(number)) return true;
    const whole = Math.trunc(number);
    // "two and a half" is 2.5, and "an hour and a half" 1.5.
    if (whole !== number && this.#named.has(number - whole))
      return whole === 0 || (whole === 1 && this.hasOne) || this.hasNumber(whole);
    return this.spells(number);
  }

  /** The number in its own words or digits. */
  spells(number: number): boolean {
    return formsOf(number, this.#language).some((form) => this.#hasAlone(` ${form} `));
  }

  /** Whole numbers from 1 to 100, as cardinals or in digits. */
  get numbers(): readonly number[] {
    return cardinalsOf(this.#language).flatMap(({ number, form }) =>
      this.#hasAlone(` ${form} `) || this.#hasAlone(` ${String(number)} `) ? [number] : [],
    );
  }

  /** "half past seven"; in German and Dutch "half eight" for the same time. */
  hasHalfOf(hour: number): boolean {
    const named = this.#language.facts.halfIsBefore === true ? hour + 1 : hour;
    return this.#named.has(0.5) && [named % 24, named % 12 || 12].some((each) => this.hasNumber(each));
  }

  /** The number, and one of the phrases right after it. */
  hasBefore(number: number, phrases: readonly string[]): boolean {
    const forms = formsOf(number, this.#language);
    return forms.some((form) => phrases.some((phrase) => this.#text.includes(` ${form} ${phrase} `)));
  }

  /** "five" is not a number of its own in "twenty five". */
  #hasAlone(form: string): boolean {
    const { units, scales } = numberWords(this.#language);
    for (let at = this.#text.indexOf(form); at >= 0; at = this.#text.indexOf(form, at + 1)) {
      const before =
        this.#text
          .slice(Math.max(0, at - 40), at)
          .replace(/ and$/u, "")
          .split(" ")
          .at(-1) ?? "";
      const [after = ""] = this.#text.slice(at + form.length, at + form.length + 40).split(" ");
      const [first = ""] = form.trim().split(" ");
      const last = form.trim().split(" ").at(-1) ?? "";
      const goesOn = scales.has(after) || (scales.has(last) && units.has(after));
      if (!goesOn && !(scales.has(before) && (units.has(first) || scales.has(first)))) return true;
    }
    return false;
  }
}

/** Lower case, without accents, apostrophes and the "and" of numbers. */
export function plainWords(text: string): string[] {
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "");
  return wordsOf(plain.replace(/([\p{Ll}\d])(?=\p{Lu})/gu, "$1 ").replaceAll("_", " ")).map((word) =>
    ZERO.test(word) ? "zero" : word.replace(/'s?$/u, "").replaceAll("'", ""),
  );
}

/** Another form of the word, or another spelling: "roses" and "rose", "Maier" and "Meier". */
export function resembles(one: string, other: string): boolean {
  const short = Math.min(one.length, other.length);
  if (short < 3 || Math.abs(one.length - other.length) > 4) return false;
  if (short === 3)
    return (
      /^(?:e?s|e?n|e)$/u.test(one.length > 3 ? one.slice(3) : other.slice(3)) && one.slice(0, 3) === other.slice(0, 3)
    );
  let common = 0;
  while (common < short && one[common] === other[common]) common += 1;
  if (common >= 3 && common >= short - (short > 5 ? 2 : 1)) return true;
  return short > 4 && differsOnce(one, other);
}

/** One letter more, less or other. */
function differsOnce(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return Math.max(one.length, other.length) - start - end <= 1;
}

const known = new WeakMap<Language, Map<number, readonly string[]>>();
const MAX_KNOWN = 500;

function formsOf(number: number, language: Language): readonly string[] {
  const cache = known.get(language) ?? new Map<number, readonly string[]>();
  known.set(language, cache);
  const before = cache.get(number);
  if (before !== undefined) return before;
  if (cache.size > MAX_KNOWN) cache.clear();
  const inWords = (text: string) => plainWords(language.speakable(text)).join(" ");
  const written = String(Math.abs(number));
  const forms = ORDINAL_MARKS.map((mark) => inWords(`${written}${mark}`)).filter((form) => !/\d\D|\D\d/u.test(form));
  if (/^\d{3,4}$/u.test(written))
    forms.push(`${inWords(written.slice(0, -2))} ${inWords(written.slice(-2).replace(/^0/u, "0 "))}`);
  const all = [...new Set([...forms, ...forms.map((form) => form.replaceAll(" and ", " ")), written])];
  cache.set(number, all);
  return all;
}

const LARGEST_NUMBER = 100;
const cardinals = new WeakMap<Language, readonly { readonly number: number; readonly form: string }[]>();

function cardinalsOf(language: Language) {
  const before = cardinals.get(language);
  if (before !== undefined) return before;
  const all = Array.from({ length: LARGEST_NUMBER }, (_, at) => ({
    number: at + 1,
    form: plainWords(language.speakable(String(at + 1))).join(" "),
  }));
  cardinals.set(language, all);
  return all;
}

const digitWords = new WeakMap<Language, ReadonlyMap<string, string>>();

const WHOLE = [20, 30, 40, 50, 60, 70, 80, 90, 100, 1000];
const wordSets = new WeakMap<Language, { readonly units: ReadonlySet<string>; readonly scales: ReadonlySet<string> }>();

/** Words of the numbers 1 to 9, and words that larger numbers begin with or have inside. */
function numberWords(language: Language) {
  const last = (number: number) => plainWords(language.speakable(String(number))).at(-1) ?? "";
  const sets = wordSets.get(language) ?? {
    units: new Set(Array.from({ length: 9 }, (_, at) => last(at + 1))),
    scales: new Set(WHOLE.map((number) => last(number))),
  };
  wordSets.set(language, sets);
  return sets;
}

/** The digits of a text, said alone or in groups. Other words divide them. */
export function digitsIn(words: string, language: Language): string {
  const names =
    digitWords.get(language) ??
    new Map(Array.from("0123456789", (digit) => [plainWords(language.speakable(digit)).join(" "), digit]));
  digitWords.set(language, names);
  return words
    .split(" ")
    .map((word) => (/^\d+$/u.test(word) ? word : (names.get(word) ?? "|")))
    .join("");
}

function withinLimit(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let left = MAX_CHARS;
  for (const text of texts.toReversed()) {
    if (left <= 0) break;
    kept.unshift(text.slice(-left));
    left -= text.length;
  }
  return kept;
}

import type { Language } from "../../language/language.ts";
import { dateMarks, dayMark } from "./said-days.ts";
import { digitsIn, plainWords, SaidWords } from "./said-words.ts";

/** A longer text is the model's own: one of three words suffices. */
const MAX_NAME_WORDS = 4;
/** "at night" is before midnight from this hour on, and after it with a lower one. */
const FIRST_NIGHT_HOUR = 6;
const MAX_WORDS = 60;
const MAX_VALUES = 50;

const DATE = /\b(\d{4}-\d{2}-\d{2})(?:T|\b)/gu;
const TIME = /\b(\d{1,2})(?::(\d{2}))(?::\d{2})?(?:\s*([ap])\.?\s?m\b\.?)?|\b(\d{1,2})\s?([ap])\.?m\b\.?/giu;
const YEAR = /^(?:19|20)\d\d$/u;
/** Factors between what a caller says and what a tool wants: hours as minutes, metres as centimetres. */
export const FACTORS = [60, 3600, 24, 7, 100, 1000];

/** Whether values occur in what was said. */
export class SaidValues {
  readonly #said: SaidWords;
  readonly #texts: readonly string[];
  readonly #language: Language;
  readonly #days: ReadonlySet<string>;
  /** Words that prove nothing: those of the tool itself. */
  readonly #neutral: ReadonlySet<string>;
  readonly #functionWords: ReadonlySet<string>;

  /** @param neutral Texts about the tool. */
  constructor(texts: readonly string[], neutral: readonly string[], language: Language) {
    this.#said = new SaidWords(texts, language);
    this.#texts = texts;
    this.#language = language;
    const words = texts.flatMap((text) => plainWords(text));
    this.#days = new Set(words.map((word) => dayMark(word, language.code)).filter((mark) => mark !== undefined));
    this.#functionWords = language.overlap?.functionWords ?? new Set();
    this.#neutral = new Set([...neutral.flatMap((text) => plainWords(text)), ...this.#functionWords]);
  }

  /** Texts and numbers inside lists and objects count too. Other values are always known. */
  has(value: unknown): boolean {
    return leaves(value).every((leaf) => (typeof leaf === "number" ? this.#hasNumber(leaf) : this.#hasText(leaf)));
  }

  /** The word was said, and it is not a word of the tool. */
  proves(text: string): boolean {
    const words = plainWords(text);
    return this.hasWords(text) && words.every((word) => word.length > 1 && !this.#neutral.has(word));
  }

  /** A word without a meaning of its own: "for". */
  isSmall(word: string): boolean {
    return this.#functionWords.has(word);
  }

  /** The words were said in this order, and the last word may end a value. */
  hasPart(text: string): boolean {
    return this.#said.hasSequence(text) && !this.#functionWords.has(plainWords(text).at(-1) ?? "");
  }

  /** Whole numbers of at most 100 that were said, without those of dates such as "the fifth". */
  get numbers(): readonly number[] {
    return this.#said.numbers;
  }

  /** The number, and one of the words right after it. */
  hasBefore(number: number, words: readonly string[]): boolean {
    return this.#said.hasBefore(number, words);
  }

  isHalfPast(hour: number): boolean {
    return this.#said.hasHalfOf(hour);
  }

  /** "an hour", "one day": the number 1 with its unit. */
  get hasPeriod(): boolean {
    return (
      !this.#said.knowsNumbers ||
      this.#said.spells(1) ||
      this.#texts.some((text) => this.#language.facts.named.period.test(text))
    );
  }

  /** Both are the same hour, before and after noon, and the words do not say which: "at seven". */
  isOtherHalfOf(time: unknown, other: unknown): boolean {
    const [hour, minutes] = clockOf(time);
    const [otherHour, otherMinutes] = clockOf(other);
    if (hour === undefined || otherHour === undefined || minutes !== otherMinutes || Math.abs(hour - otherHour) !== 12)
      return false;
    const { morning, afternoon, night } = this.#language.facts.halfDays;
    return !this.#said.hasBefore(hour % 12 || 12, [...morning, ...afternoon, ...night]);
  }

  /** Two digits and more, or days: "number five five one", "friday". */
  isNumberOrDay(text: string): boolean {
    const words = plainWords(text);
    const digits = words.filter((word) => /^\d+$/u.test(digitsIn(word, this.#language)));
    const isDay = (word: string) => /day /u.test(dayMark(word, this.#language.code) ?? "");
    return digits.length > 1 || words.every((word) => digits.includes(word) || isDay(word));
  }

  /** Whether all words are in these texts, are small, or announce a correction. */
  areAllIn(texts: readonly string[]): boolean {
    const known = new Set([...texts.flatMap((text) => plainWords(text)), ...this.#functionWords]);
    return this.#texts
      .flatMap((text) => plainWords(text))
      .every((word) => known.has(word) || this.#language.facts.corrects(word));
  }

  /** The text stands as it is in the conversation, such as the id of a result. */
  hasVerbatim(text: string): boolean {
    return this.#texts.some((each) => each.includes(text));
  }

  /** Every word was said. */
  hasWords(text: string): boolean {
    const words = plainWords(text);
    return words.length > 0 && words.every((word) => this.#hasWord(word));
  }

  /** The time was said as one of the second half of the day: "eight in the evening". */
  isAfternoon(hour: number, minutes: number): boolean {
    const { morning, afternoon, night } = this.#language.facts.halfDays;
    const numbers = minutes === 0 ? [hour] : [hour, hour * 100 + minutes];
    const isSaid = (phrases: readonly string[]) => numbers.some((number) => this.#said.hasBefore(number, phrases));
    return (isSaid(afternoon) || (hour >= FIRST_NIGHT_HOUR && isSaid(night))) && !isSaid(morning);
  }

  /** The only time of day that a word names: "12:00" of "noon". */
  get namedTime(): string | undefined {
    const [time, ...others] = this.#said.namedTimes;
    return others.length === 0 ? time : undefined;
  }

  #hasWord(word: string): boolean {
    if (/^\d+$/u.test(word)) return this.#said.hasDigits(word) || this.#said.hasNumber(Number(word));
    const day = dayMark(word, this.#language.code);
    return (day !== undefined && this.#days.has(day)) || this.#said.hasWord(word);
  }

  #hasNumber(number: number): boolean {
    const said = this.#said;
    const size = Math.abs(number);
    if (size === 0 || (size === 1 && said.hasOne) || said.hasVagueNumbers || !said.knowsNumbers) return true;
    if (said.hasNumber(size) || said.hasDigits(String(size))) return true;
    if (FACTORS.some((factor) => said.hasNumber(size / factor))) return true;
    // Seconds of hours and minutes.
    if (size > 3600 && size % 60 === 0 && this.#hasNumber(size / 60)) return true;
    return [60, 100].some(
      (unit) => size > unit && said.hasNumber(size % unit) && this.#hasNumber(Math.trunc(size / unit)),
    );
  }

  #hasText(text: string): boolean {
    if (this.#said.hasText(text)) return true;
    let isTimely = true;
    let hasDate = false;
    let hasTime = false;
    const rest = text
      .replaceAll(DATE, (_, date: string) => {
        hasDate = true;
        isTimely &&= this.#hasDate(date);
        return " ";
      })
      .replaceAll(TIME, (_, h1?: string, minutes?: string, _1?: string, h2?: string) => {
        hasTime = true;
        isTimely &&= this.#hasTime(Number(h1 ?? h2), Number(minutes ?? 0));
        return " ";
      });
    const words = plainWords(rest).slice(0, MAX_WORDS);
    if (words.length === 0) return isTimely && (hasDate || hasTime);
    return isTimely && this.#hasAllWords(words, hasDate);
  }

  #hasAllWords(words: readonly string[], hasDate: boolean): boolean {
    const days = words.map((word) => dayMark(word, this.#language.code)).filter((mark) => mark !== undefined);
    const others = words.filter((word) => dayMark(word, this.#language.code) === undefined);
    const isDate = hasDate || days.length > 0;
    if (days.length > 0 && !this.#hasDay(days)) return false;
    const numbers = others.filter(
      (word) => /^\d+$/u.test(word) && !(isDate && (YEAR.test(word) || Number(word) <= 31)),
    );
    if (!numbers.every((word) => this.#said.hasDigits(word) || this.#hasNumber(Number(word)))) return false;
    const names = others.filter((word) => !/\d/u.test(word) && word.length > 1 && !this.#neutral.has(word));
    const found = names.filter((word) => this.#said.hasWord(word)).length;
    // Words of the tool alone are only a value when they were said.
    if (words.length === others.length && !hasDate && names.length + numbers.length === 0)
      return words.every((word) => this.#hasWord(word));
    // A date may have other words, such as "next".
    if (isDate && found === 0) return names.length <= 1;
    return names.length > MAX_NAME_WORDS ? found * 3 >= names.length : found === names.length;
  }

  #hasDay(marks: readonly string[]): boolean {
    if (this.#said.hasVagueDays || marks.some((mark) => this.#days.has(mark))) return true;
    // A day that the model has worked out.
    return [...this.#days].some((mark) => mark.startsWith("day "));
  }

  #hasDate(text: string): boolean {
    const date = dateMarks(text);
    if (date === undefined) return false;
    return this.#said.hasVagueDays || this.#said.hasNumber(date.day) || date.marks.some((mark) => this.#days.has(mark));
  }

  /** "half past seven" is 19:30, and "quarter to eight" 19:45. */
  #hasTime(hour: number, minutes: number): boolean {
    const said = this.#said;
    if (said.hasVagueNumbers || !said.knowsNumbers) return true;
    if (minutes === 0 && said.namedTimes.includes(`${String(hour % 24).padStart(2, "0")}:00`)) return true;
    if (minutes === 30 && said.hasHalfOf(hour)) return true;
    const hours = minutes > 30 ? [hour, hour + 1] : [hour];
    // "eight thirty" is one number of two pairs.
    const pairs = minutes === 0 ? [] : [hour, hour % 12 || 12].map((each) => each * 100 + minutes);
    if (pairs.some((pair) => said.hasNumber(pair))) return true;
    const isHour = hours.flatMap((each) => [each % 24, each % 12 || 12]).some((each) => said.hasNumber(each));
    const isMinute =
      minutes === 0 || (minutes === 30 ? said.spells(30) : said.hasNumber(minutes) || said.hasNumber(60 - minutes));
    const digits = `${String(hour)}${String(minutes).padStart(2, "0")}`;
    return (isHour && isMinute) || said.hasDigits(digits);
  }
}

const CLOCK = /^(\d{2}):(\d{2})$/u;
const clockOf = (value: unknown): readonly (number | undefined)[] =>
  CLOCK.exec(typeof value === "string" ? value : "")
    ?.slice(1)
    .map(Number) ?? [];

/** Texts and numbers of a value, the first ones only. */
function leaves(value: unknown): (string | number)[] {
  if (typeof value === "string" || typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value)
    .flatMap((each) => leaves(each))
    .slice(0, MAX_VALUES);
}

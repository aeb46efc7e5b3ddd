import { englishNumber } from "./english-numbers.ts";
import { germanNumber } from "./german-numbers.ts";
import type { NumberReading } from "./number-reading.ts";

/** Another way to write the words from `start` up to `end`. */
export interface Reading {
  readonly start: number;
  readonly end: number;
  readonly labels: readonly string[];
  /** Matches only labels of words as written, digits and spelled letters. Two such readings never match each other. */
  readonly isDerived: boolean;
}

type ReadNumber = (words: readonly string[], start: number) => NumberReading | undefined;
const NUMBERS: Readonly<Record<string, ReadNumber>> = { en: englishNumber, de: germanNumber };

const digitLabels = (digits: string): readonly string[] => Array.from(digits, (digit) => `digit ${digit}`);
const letterLabel = (letter: string): string => `letter ${letter}`;
const isLetter = (word: string | undefined): boolean => /^\p{L}$/u.test(word ?? "");

/** Every way to write parts of a text, other than the words themselves. Takes words of `plainWords`. */
export function readingsOf(words: readonly string[], language: string): readonly Reading[] {
  const numbers = numbersOf(words, NUMBERS[language] ?? (() => undefined));
  const inNumbers = new Set(
    numbers.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)),
  );
  const isSpelled = (index: number) => isLetter(words[index]) || inNumbers.has(index);
  const contractions = language === "en" ? englishContractions : language === "de" ? germanContractions : () => [];
  return [
    ...numbers,
    ...words.flatMap((word, start) => [
      ...letters(word, start, isSpelled(start - 1) || isSpelled(start + 1)),
      ...compounds(words, start),
      ...contractions(word).map((full) => ({ start, end: start + 1, labels: full.split(" "), isDerived: true })),
    ]),
    ...(language === "en" ? englishPhrases(words, inNumbers) : []),
  ];
}

/** Each number as its digits. Ordinals end with a mark, which may be absent beside a month. */
function numbersOf(words: readonly string[], readNumber: ReadNumber): readonly Reading[] {
  const readings: Reading[] = [];
  for (let start = 0; start < words.length;) {
    const number = readNumber(words, start);
    if (number === undefined) {
      start += 1;
      continue;
    }
    const { end, digits, isOrdinal } = number;
    const labels = digitLabels(digits);
    const add = (all: readonly string[]) => readings.push({ start, end, labels: all, isDerived: false });
    if (isOrdinal) add([...labels, "ordinal"]);
    if (!isOrdinal || MONTHS.has(words[start - 1] ?? "") || MONTHS.has(words[end] ?? "")) add(labels);
    start = end;
  }
  return readings;
}

/** A letter beside letters or numbers is spelled. A word may be the letters that the other text spells. */
function letters(word: string, start: number, isSpelledBeside: boolean): readonly Reading[] {
  if (isLetter(word))
    return isSpelledBeside ? [{ start, end: start + 1, labels: [letterLabel(word)], isDerived: false }] : [];
  if (!/^\p{L}+$/u.test(word)) return [];
  return [{ start, end: start + 1, labels: Array.from(word, letterLabel), isDerived: true }];
}

/** "check in" is "checkin". Words of one letter join in front only, as in "e mail". */
function compounds(words: readonly string[], start: number): readonly Reading[] {
  const parts = words.slice(start, start + 3);
  if (/^[aio]$/u.test(parts[0] ?? "")) return [];
  const end = parts.findIndex((part, index) => !/^\p{L}+$/u.test(part) || (index > 0 && part.length === 1));
  const most = end < 0 ? parts.length : end;
  return [2, 3]
    .filter((count) => count <= most)
    .map((count) => ({ start, end: start + count, labels: [parts.slice(0, count).join("")], isDerived: true }));
}

const FULL_FORMS = new Map([
  ["won't", ["will not"]],
  ["can't", ["can not"]],
  ["cannot", ["can not"]],
  ["shan't", ["shall not"]],
  ["let's", ["let us"]],
  ["gonna", ["going to"]],
  ["wanna", ["want to"]],
  ["gotta", ["got to"]],
  ["alright", ["all right"]],
]);
const ENDINGS: readonly (readonly [ending: string, ...words: string[]])[] = [
  ["n't", "not"],
  ["'m", "am"],
  ["'re", "are"],
  ["'ve", "have"],
  ["'ll", "will"],
  ["'d", "would", "had"],
  ["'s", "is", "has"],
];

/** "it's": "it is", "it has". */
function englishContractions(word: string): readonly string[] {
  const known = FULL_FORMS.get(word);
  if (known !== undefined) return known;
  const [ending, ...meant] = ENDINGS.find(([end]) => word.endsWith(end) && word.length > end.length) ?? [""];
  return meant.map((full) => `${word.slice(0, -ending.length)} ${full}`);
}

/** "geht's": "geht es". */
const germanContractions = (word: string): readonly string[] => (/.'s$/u.test(word) ? [`${word.slice(0, -2)} es`] : []);

const MONTHS = new Set(
  "january february march april may june july august september october november december".split(" "),
);
const REPEATS = new Map([
  ["double", 2],
  ["triple", 3],
]);
const DIGITS = new Map(
  ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].map((w, i) => [w, i]),
);
const isOh = (word: string | undefined): boolean => word === "o" || word === "oh";

/** "oh" for the digit or the letter, "double five", "o'clock" after a number, "zed". */
function englishPhrases(words: readonly string[], inNumbers: ReadonlySet<number>): readonly Reading[] {
  const isDigitLike = (index: number) =>
    inNumbers.has(index) || isOh(words[index]) || (REPEATS.has(words[index] ?? "") && inNumbers.has(index + 1));
  /** The run of digits and "oh" around `index` has a number word. */
  const isAmongNumbers = (index: number): boolean => {
    let first = index;
    while (first > 0 && isDigitLike(first - 1)) first -= 1;
    for (let at = first; isDigitLike(at) || REPEATS.has(words[at] ?? ""); at++) if (inNumbers.has(at)) return true;
    return false;
  };
  const readings: Reading[] = [];
  words.forEach((word, start) => {
    const add = (count: number, labels: readonly string[], isDerived = false) =>
      readings.push({ start, end: start + count, labels, isDerived });
    const times = REPEATS.get(word);
    const next = words[start + 1] ?? "";
    if (isOh(word)) {
      add(1, [letterLabel("o")]);
      if (isAmongNumbers(start)) add(1, digitLabels("0"));
    }
    if (word === "zed" || word === "zee") add(1, [letterLabel("z")]);
    if (word === "double" && (next === "u" || next === "you")) add(2, [letterLabel("w")]);
    if (word === "o'clock" && inNumbers.has(start - 1)) add(1, []);
    if (word === "and" && /^(?:dollar|euro|pound)s?$/u.test(words[start - 1] ?? "") && inNumbers.has(start + 1))
      add(1, []);
    if (times === undefined) return;
    if (isLetter(next))
      add(
        2,
        Array.from({ length: times }, () => letterLabel(next)),
      );
    const digit = isOh(next) ? 0 : DIGITS.get(next);
    if (digit !== undefined) add(2, digitLabels(String(digit).repeat(times)));
  });
  return readings;
}

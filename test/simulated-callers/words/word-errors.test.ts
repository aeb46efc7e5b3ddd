import fc from "fast-check";
import { toCardinal } from "n2words/de-DE";
import { describe, expect, it } from "vitest";
import { plainWords, wordErrors } from "../../../src/simulated-callers/words/word-errors.ts";
import { cardinal, digitByDigit, ordinal } from "../../../src/language/packs/en/number-words.ts";

const errors = (reference: string, heard: string, language = "en") =>
  wordErrors(plainWords(reference, language), plainWords(heard, language), language);

/** Levenshtein distance over words, without readings. */
function plainDistance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, index) => index + 1);
  row.unshift(0);
  for (const word of a) {
    const next = [row[0]! + 1];
    for (const [index, other] of b.entries())
      next.push(Math.min(row[index + 1]! + 1, next[index]! + 1, row[index]! + (word === other ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}

/** Ways to write a whole number below a million. */
function writings(value: number): readonly string[] {
  const digits = String(value);
  const words = cardinal(digits);
  const hundreds = value >= 1100 && value < 10_000 && value % 1000 >= 100;
  return [
    digits,
    value.toLocaleString("en-US"),
    words,
    words.replaceAll(/hundred (?=\w)(?!thousand)/gu, "hundred and "),
    words.replaceAll(" ", "-"),
    digitByDigit(digits),
    digitByDigit(digits).replaceAll(/(?<= )zero/gu, "oh"),
    ...(value >= 100 ? [Array.from(digits).join("-")] : []),
    ...(hundreds
      ? [`${cardinal(digits.slice(0, 2))} hundred ${value % 100 === 0 ? "" : cardinal(String(value % 100))}`]
      : []),
  ];
}

describe("plainWords", () => {
  it("spells words that sound alike in the same way", () => {
    expect(plainWords("OK, Mr. Reed: 7:30!")).toEqual(plainWords("okay mister reed seven thirty"));
    expect(plainWords("Can't you?")).toEqual(["can't", "you"]);
    expect(plainWords("'Tis the “colour” of the café.")).toEqual(["tis", "the", "color", "of", "the", "cafe"]);
    expect(plainWords("Schöne Grüße, 21!", "de")).toEqual(["schoene", "gruesse", "einundzwanzig"]);
    expect(plainWords(" … ")).toEqual([]);
  });
});

describe("wordErrors", () => {
  it("counts substitutions, insertions and deletions", () => {
    expect(errors("turn on the light", "turn on the light")).toBe(0);
    expect(errors("turn on the light", "turn off the light")).toBe(1);
    expect(errors("turn on the light", "turn on light")).toBe(1);
    expect(errors("turn on the light", "turn on all the light")).toBe(1);
    expect(errors("turn on the light", "")).toBe(4);
    expect(errors("", "thanks for watching")).toBe(3);
    expect(errors("a b c d", "b c d e")).toBe(2);
  });

  it.each([
    ["forty nine hundred", "4900"],
    ["four thousand nine hundred", "4,900"],
    ["four nine zero zero", "forty-nine hundred"],
    ["four nine oh oh", "4900"],
    ["v q d b forty nine hundred", "VQDB 4900"],
    ["one five double oh", "1500"],
    ["double five one", "551"],
    ["triple seven", "777"],
    ["five five five zero one two three", "555-0123"],
    ["seven fourteen sixty one", "714-61"],
    ["ten to twelve", "10-12"],
    ["seven thirty", "7:30"],
    ["seven thirty p m", "7:30 PM"],
    ["seven p m", "7:00 p.m."],
    ["seven o'clock", "7"],
    ["nineteen oh five", "1905"],
    ["nineteen hundred and five", "1905"],
    ["twenty twenty six", "2026"],
    ["june five", "June 5th"],
    ["june fifth nineteen seventy", "June 5, 1970"],
    ["the twenty first", "the 21st"],
    ["one hundred and first", "101st"],
    ["fifty percent", "50%"],
    ["fifty per cent", "50%"],
    ["five dollars and fifty cents", "$5.50"],
    ["five dollars fifty cents", "$5.50"],
    ["two point five million", "2.5 million"],
    ["a thousand people", "1000 people"],
    ["check-in", "checkin"],
    ["check in", "checkin"],
    ["e mail", "email"],
    ["s t o d o l s k y", "Stodolsky"],
    ["s t o d o l s k y", "S-T-O-D-O-L-S-K-Y"],
    ["s t o d o l s k y", "S. T. O. D. O. L. S. K. Y."],
    ["n t d i c five nine one", "N-T-D-I-C-591"],
    ["n z x l three one", "nzxl31"],
    ["u m n y h six", "UMNYH6"],
    ["v o five", "V05"],
    ["double l a", "L L A"],
    ["double u w", "WW"],
    ["I am here and you will not go", "I'm here, and you won't go."],
    ["he is here", "he's here"],
    ["he has gone", "he's gone"],
    ["The colour of the theatre was realised.", "the color of the theater was realized"],
    ["mister Smith okay", "Mr. Smith, OK"],
  ])("scores %j as equal to %j", (one, other) => {
    expect(errors(one, other)).toBe(0);
    expect(errors(other, one)).toBe(0);
  });

  it.each([
    ["forty nine hundred", "4800", 1],
    ["four nine zero zero", "4910", 1],
    ["fifteen", "fifty", 1],
    ["june fifth", "June 6", 1],
    ["five people", "fifth people", 1],
    ["s t o d o l s k y", "Stodolski", 1],
    ["v q d b", "VQDP", 1],
    ["a part", "apart", 2],
    ["a cat", "at", 2],
    ["was", "way", 1],
    ["he is here", "he has here", 1],
    ["he's here", "he'd here", 1],
    ["were", "we're", 1],
    ["its", "it's", 1],
    ["now here", "no where", 2],
    ["i am", "iam", 2],
    ["oh no", "zero no", 1],
  ])("counts the errors of %j as %j", (one, other, count) => {
    expect(errors(one, other)).toBe(count);
    expect(errors(other, one)).toBe(count);
  });

  it.each([
    ["einundzwanzig", "21"],
    ["vier neun null null", "4900"],
    ["neunzehnhundertfünfundachtzig", "1985"],
    ["sieben Uhr dreißig", "7:30 Uhr"],
    ["Heute abend könnte ich es ihm sagen", "Heute Abend koennte ich es ihm sagen."],
    ["Wie geht es", "Wie geht's?"],
    ["Eisschrank", "Eis-Schrank"],
    ["Grüße", "Gruesse"],
  ])("scores German %j as equal to %j", (one, other) => {
    expect(errors(one, other, "de")).toBe(0);
    expect(errors(other, one, "de")).toBe(0);
  });

  it("scores the writings of a number as equal, and never two numbers", () => {
    const value = fc.oneof(fc.nat(120), fc.nat(9_999), fc.nat(999_999));
    fc.assert(
      fc.property(value, value, fc.nat(), fc.nat(), (one, other, first, second) => {
        const pick = (of: number, place: number) => writings(of)[place % writings(of).length]!;
        const text = `take ${pick(one, first)} people`;
        expect(errors(text, `take ${pick(one, second)} people`), text).toBe(0);
        if (one !== other) expect(errors(text, `take ${pick(other, second)} people`), text).toBeGreaterThan(0);
        if (one !== other) expect(errors(`${text}, ${ordinal(String(one))}`, text)).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  it("scores the writings of a German number as equal, and never two numbers", () => {
    const value = fc.integer({ min: 0, max: 9_999 });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const spelled = Array.from(String(one), (digit) => toCardinal(digit)).join(" ");
        for (const text of [toCardinal(one), spelled]) {
          expect(errors(String(one), text, "de")).toBe(0);
          if (one !== other) expect(errors(String(other), text, "de")).toBeGreaterThan(0);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("never exceeds the plain distance, is symmetric, and is zero for equal texts", () => {
    const word = fc.constantFrom(
      ..."a b o oh i s am i'm he's is two twenty hundred thousand and one zero double check in checkin at the abs fifth may o'clock".split(
        " ",
      ),
    );
    const words = fc.array(word, { maxLength: 9 });
    fc.assert(
      fc.property(words, words, (a, b) => {
        const count = wordErrors(a, b);
        expect(wordErrors(a, a)).toBe(0);
        expect(count).toBe(wordErrors(b, a));
        expect(count).toBeLessThanOrEqual(plainDistance(a, b));
      }),
    );
  });

  it("is the plain distance of words with a single writing", () => {
    const words = fc.array(fc.constantFrom("tree", "under", "walk"), { maxLength: 7 });
    fc.assert(
      fc.property(words, words, (a, b) => {
        expect(wordErrors(a, b)).toBe(plainDistance(a, b));
      }),
    );
  });

  it("is a distance of spelled letters", () => {
    const words = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
    fc.assert(
      fc.property(words, words, words, (a, b, c) => {
        expect(wordErrors(a, b)).toBe(wordErrors(b, a));
        expect(wordErrors(a, c)).toBeLessThanOrEqual(wordErrors(a, b) + wordErrors(b, c));
        expect(wordErrors(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });
});

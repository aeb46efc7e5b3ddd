import * as fc from "fast-check";
import { expect, test } from "vitest";
import { languageOf } from "../../../src/language/packs/languages.ts";
import { englishValue, numberWords, SMALL } from "../../support/number-words.ts";

const english = (text: string) => languageOf("en").speakable(text);
/** Numbers of 1100 to 2099 may be said as years, and more than six digits digit by digit. */
const amount = fc.integer({ min: 0, max: 999_999 }).filter((value) => value < 1_100 || value > 2_099);
const decimals = fc.stringMatching(/^\d{1,3}$/u);
const unit = fc.constantFrom(
  ["mg", "milligram"],
  ["mL", "milliliter"],
  ["km", "kilometer"],
  ["kg", "kilogram"],
  ["%", "percent"],
);
const before = fc.constantFrom("", "Take ", "It is ", "It costs about ", "Use no more than ", "- ", "Add (");

test("property: an amount with a unit is heard as that amount", () => {
  fc.assert(
    fc.property(before, amount, fc.option(decimals), unit, fc.constantFrom("", " "), (start, value, part, [sign, name], space) => {
      const written = `${String(value)}${part === null ? "" : `.${part}`}`;
      const said = english(`${start}${written}${space}${sign} now.`);
      expect(said).toContain(name);
      expect(englishValue(numberWords(said.split(name)[0] ?? "")), said).toBe(Number(written));
    }),
  );
}); // prettier-ignore

test("property: a number without an integer part keeps its value", () => {
  fc.assert(
    fc.property(decimals, unit, (part, [sign]) => {
      expect(english(`.${part} ${sign}`)).toBe(english(`0.${part} ${sign}`));
    }),
  );
});

test.each(["de", "es", "fr", "it", "nl", "pt"])("property: %s says .5, ,5 and 0,5 alike", (code) => {
  const { speakable } = languageOf(code);
  fc.assert(
    fc.property(decimals.filter((part) => part.length < 3), (part) => {
      expect(speakable(`,${part} mg`)).toBe(speakable(`0,${part} mg`));
      expect(speakable(`.${part} mg`)).toBe(speakable(`0.${part} mg`));
    }),
  );
}); // prettier-ignore

const MARKS = { "<": "less than", ">": "more than", "≤": "at most", "≥": "at least", "±": "plus or minus" };

test("property: a mark before a number is said", () => {
  const mark = fc.constantFrom(...Object.entries(MARKS));
  fc.assert(
    fc.property(mark, amount, fc.constantFrom("", " "), unit, ([sign, words], value, space, [name]) => {
      expect(english(`Keep it ${sign}${space}${String(value)} ${name}.`)).toContain(` ${words} `);
    }),
  );
});

test("property: a duration has the same parts however it is written", () => {
  const part = fc.integer({ min: 1, max: 59 });
  fc.assert(
    fc.property(part, part, part, (hours, minutes, seconds) => {
      const two = (value: number) => String(value).padStart(2, "0");
      const said = english(`${String(hours)}h ${String(minutes)}m ${String(seconds)}s`);
      expect(english(`${String(hours)}:${two(minutes)}:${two(seconds)}`)).toBe(said);
      expect(english(`${String(hours)}h${String(minutes)}m${String(seconds)}s`)).toBe(said);
    }),
  );
});

test("property: a code has as many words as characters", () => {
  const digits = fc.stringMatching(/^\d{3,9}$/u);
  const name = fc.constantFrom("Your code is", "The PIN is", "Your order number is", "Reference:", "The ZIP code is");
  fc.assert(
    fc.property(name, digits, (start, code) => {
      const said = english(`${start} ${code}.`).replace(/^.*?(?:is|:) /u, "");
      expect(said).toBe(`${Array.from(code, (digit) => SMALL[Number(digit)]).join(" ")}.`);
    }),
  );
});

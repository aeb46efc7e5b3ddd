import * as fc from "fast-check";
import { expect, test } from "vitest";
import { languageOf } from "../../src/language/packs/languages.ts";
import { englishValue, germanValue, numberWords } from "../support/number-words.ts";
import { amounts, NOTATIONS, statements, type Written } from "./written-forms.ts";

const languages = Object.entries(NOTATIONS);

test.each(languages)(
  "property: %s says every written form without a digit, and the same a second time",
  (code, notation) => {
    const { speakable } = languageOf(code);
    fc.assert(
      fc.property(statements(notation), ({ text }) => {
        const said = speakable(text);
        expect(said).not.toMatch(/\d/u);
        expect(speakable(said)).toBe(said);
      }),
      { numRuns: 300 },
    );
  },
);

/** The texts by a key, each key with one value of the other field. */
function conflicts(written: readonly Written[], speakable: (text: string) => string): string[] {
  const bySpoken = new Map<string, Written>();
  const byMeaning = new Map<string, Written>();
  const found: string[] = [];
  for (const one of written) {
    const said = speakable(one.text);
    const same = bySpoken.get(said);
    const other = byMeaning.get(one.meaning);
    if (same !== undefined && same.meaning !== one.meaning)
      found.push(`${same.text} and ${one.text} are both said "${said}"`);
    if (other !== undefined && speakable(other.text) !== said)
      found.push(`${other.text} is "${speakable(other.text)}", ${one.text} is "${said}"`);
    bySpoken.set(said, one);
    byMeaning.set(one.meaning, one);
  }
  return found;
}

test.each(languages)(
  "property: %s says different values differently, and one value alike in all notations",
  (code, notation) => {
    const { speakable } = languageOf(code);
    fc.assert(
      fc.property(fc.array(statements(notation), { minLength: 2, maxLength: 40 }), (written) => {
        expect(conflicts(written, speakable)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  },
);

const contexts = fc.constantFrom(
  ["(", ")"],
  ["OK: ", "."],
  ["Well, ", ", or not."],
  ["**", "**!"],
  ["- ", ""],
  ["ok\n", "\nok"],
);

test.each(languages)("property: %s says a value alike alone and in a sentence", (code, notation) => {
  const { speakable } = languageOf(code);
  fc.assert(
    fc.property(statements(notation), contexts, ({ text }, [before, after]) => {
      expect(speakable(before + text + after)).toContain(speakable(text).replace(/[.,]$/u, ""));
    }),
    { numRuns: 300 },
  );
});

const around = fc.constantFrom(
  ["", ""],
  ["Take ", " now."],
  ["(", ")"],
  ["It is ", ", yes."],
  ["**", "**"],
  ["- ", ""],
);

test("property: English words of an amount give its value", () => {
  fc.assert(
    fc.property(around, amounts(NOTATIONS.en!), ([before, after], { written, value }) => {
      const said = languageOf("en").speakable(`${before}${written} kg${after}`);
      expect(englishValue(numberWords(said.split("kilogram")[0]!)), said).toBe(value);
    }),
    { numRuns: 500 },
  );
});

test("property: German words of an amount give its value", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("", "Es sind ", "Nehmen Sie "),
      amounts(NOTATIONS.de!),
      (before, { written, value }) => {
        const said = languageOf("de").speakable(`${before}${written} kg.`);
        const words = said.slice(before.length).replace(/ Kilogramm\.$/u, "");
        expect(germanValue(words), said).toBe(value);
      },
    ),
    { numRuns: 500 },
  );
});

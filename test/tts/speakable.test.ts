import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cardinal, decimal, ordinal, year } from "../../src/tts/number-words.ts";
import { speakable } from "../../src/tts/speakable.ts";

const onlySpeakable = /^[\p{L}\p{M}',.?!;:\- ]*$/u;

describe("number words", () => {
  it.each([
    ["0", "zero"],
    ["13", "thirteen"],
    ["40", "forty"],
    ["85", "eighty five"],
    ["100", "one hundred"],
    ["219", "two hundred nineteen"],
    ["1000", "one thousand"],
    ["1200013", "one million two hundred thousand thirteen"],
    ["007", "zero zero seven"],
    ["1234567890123456", "one two three four five six seven eight nine zero one two three four five six"],
  ])("cardinal %s", (digits, words) => expect(cardinal(digits)).toBe(words));

  it.each([
    ["1", "first"],
    ["12", "twelfth"],
    ["20", "twentieth"],
    ["23", "twenty third"],
    ["100", "one hundredth"],
  ])("ordinal %s", (digits, words) => expect(ordinal(digits)).toBe(words));

  it.each([
    ["1905", "nineteen oh five"],
    ["1900", "nineteen hundred"],
    ["2000", "two thousand"],
    ["2007", "two thousand seven"],
    ["2026", "twenty twenty six"],
  ])("year %s", (digits, words) => expect(year(digits)).toBe(words));

  it("decimal", () => expect(decimal("1,234.50")).toBe("one thousand two hundred thirty four point five zero"));
});

describe("speakable", () => {
  it.each([
    // money
    ["It is $12.50.", "It is twelve dollars and fifty cents."],
    ["$1 or €5", "one dollar or five euros"],
    ["£3.01, or 5 € more", "three pounds and one penny, or five euros more"],
    ["$1.5 million", "one point five million dollars"],
    ["about $2k", "about two thousand dollars"],
    ["$1,250", "one thousand two hundred fifty dollars"],
    ["$0.99", "ninety nine cents"],
    // numbers
    ["Up 3.5% to 1,200.", "Up three point five percent to one thousand two hundred."],
    ["the 21st of 100", "the twenty first of one hundred"],
    ["-5°C outside", "minus five degrees Celsius outside"],
    ["5 km, 1 km", "five kilometers, one kilometer"],
    ["1/2 cup, 3/4 cup, 2/5", "one half cup, three quarters cup, two fifths"],
    ["1½ hours", "one and one half hours"],
    ["open 24/7", "open twenty four seven"],
    ["10-20 people", "ten to twenty people"],
    ["1990s music", "nineteen nineties music"],
    ["the 80s, 20s later", "the eighties, twenty seconds later"],
    ["version 1.2.3", "version one point two point three"],
    ["room B12", "room B twelve"],
    ["order 12345678", "order one two three four five six seven eight"],
    ["No. 5 and #7", "number five and number seven"],
    ["a 3x4 grid", "a three by four grid"],
    // times and dates
    ["at 7:30 pm", "at seven thirty p m"],
    ["At 7:30 p.m. We close.", "At seven thirty p m. We close."],
    ["at 7 p.m. we close", "at seven p m we close"],
    ["9:05", "nine oh five"],
    ["8:00 sharp", "eight o'clock sharp"],
    ["10am", "ten a m"],
    ["On Nov 3, 2026 we", "On November third, twenty twenty six we"],
    ["Nov. 3", "November third"],
    ["2026-11-20", "November twentieth, twenty twenty six"],
    ["3 March 1999", "March third, nineteen ninety nine"],
    ["12/25/2026", "December twenty fifth, twenty twenty six"],
    ["In May 5 guests came.", "In May fifth guests came."],
    ["In 1984 it was", "In nineteen eighty four it was"],
    ["2019-2024", "twenty nineteen to twenty twenty four"],
    // telephone numbers
    ["Call 555-0199.", "Call five five five, zero one nine nine."],
    ["(555) 123-4567", "five five five, one two three, four five six seven"],
    ["+1 555 123 4567", "plus one, five five five, one two three, four five six seven"],
    // addresses
    ["Mail jo.doe@example.com.", "Mail jo dot doe at example dot com."],
    ["See https://www.example.com/help?x=1.", "See example dot com slash help."],
    ["Visit example.org!", "Visit example dot org!"],
    // abbreviations and acronyms
    ["Dr. Lee, Mr. Fox", "Doctor Lee, Mister Fox"],
    ["St. Mary on Main St.", "Saint Mary on Main Street"],
    ["fruit, e.g. apples, etc.", "fruit, for example, apples, et cetera."],
    ["the U.S. and the NHS", "the U S and the N H S"],
    ["NASA says STOP NOW", "nasa says stop now"],
    ["rock & roll", "rock and roll"],
    // marks for the eye
    ["**Sure!** Here is `one` _idea_:", "Sure! Here is one idea:"],
    ["# Title\n- first\n- second", "Title. first. second"],
    ["[the menu](https://x.io/menu)", "the menu"],
    ["Great 😀👍🏽 thanks 🇬🇧", "Great thanks"],
    ["Well… (maybe) — yes", "Well, maybe, yes"],
    ["don’t ‘quote’ me", "don't quote me"],
    ["Really?! Yes...", "Really? Yes,"],
    ["<b>bold</b> text", "bold text"],
    ["twenty-six", "twenty-six"],
    ["", ""],
    ["🙂", ""],
    ["?!", ""],
  ])("%j -> %j", (text, spoken) => {
    expect(speakable(text)).toBe(spoken);
  });

  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        ..."$ € % # * _ ` [ ] ( ) . , : ; - – — / @ ' 1 22 2026 7:30 pm p.m. Dr. St. No. e.g. U.S. NHS Nov May 3rd km °C .com http:// www. \n".split(
          " ",
        ),
        " ",
        "½",
        "👍🏽",
      ),
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.string({ unit: "binary", maxLength: 6 }),
    ),
    { maxLength: 40 },
  );

  it("gives letters, apostrophes, spaces and known marks only, and leaves its own output alone", () => {
    fc.assert(
      fc.property(hostile, (pieces) => {
        const spoken = speakable(pieces.join(""));
        expect(spoken).toMatch(onlySpeakable);
        expect(speakable(spoken)).toBe(spoken);
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps every word of plain prose", () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/).filter((text) => !/^\d|^(?:etc|inc)$/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        expect(speakable(words.join(" "))).toBe(words.join(" "));
      }),
    );
  });

  it.each(["1,", "((", "[a](", "a.", "a@", "1-", "$", "* ", "\n- ", "<a ", "1:", "A.", "''", "http://a", "_a", "555-"])(
    "is linear in %j repeated",
    (piece) => {
      expect(speakable(piece.repeat(20_000))).toMatch(onlySpeakable);
    },
  );
});

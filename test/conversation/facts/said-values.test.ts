import { describe, expect, test } from "vitest";
import { SaidValues } from "../../../src/conversation/facts/said-values.ts";
import { languageOf } from "../../../src/language/packs/languages.ts";

const said = (text: string, code = "en") =>
  new SaidValues([text], ["book_table", "Books a table.", "guests"], languageOf(code));

describe.each([
  [
    "book a table for four at seven, my name is clark",
    [4, "four", "19:00", "7:00 PM", "7 pm", "07:00", "Clark"],
    [5, "20:00", "7:15", "John Doe", "Clark Kent", "Friday"],
  ],
  ["can i have it at half past seven for twenty two people", ["19:30", "7:30 PM", 22], ["John", 21, "20:15"]],
  ["a table for five on sunday at noon", [5, "12:00", "12 PM"], ["14:00", "13:30", 7]],
  ["a taxi at midnight", ["00:00"], ["22:00", 3]],
  ["at a quarter to eight", ["19:45", "7:45"], ["20:30", 9]],
  ["half an hour", [30, 0.5, 1800], [40, 20]],
  ["two and a half hours", [2.5, 150, 9000], [160, 4.5]],
  ["a week", [1, 7], [2, 14]],
  ["three quarters of an hour", [45, 0.75], [50]],
  ["for both of us", [2], [3]],
  [
    "a table at eight thirty, or at seven forty five",
    ["8:30", "20:30", "08:30", "19:45", "7:45 PM"],
    ["9:30", "8:45", "7:30"],
  ],
  ["order number five five one two", ["5512", 5512, "551-2"], ["5513", 12345]],
  ["a nurse in room 204 please", [204, "204", "room 204"], [205, "240"]],
  ["room two oh four", [204, "204"], [24]],
  ["room two hundred and four", [204], [4000, 205]],
  ["the fourth floor", [4, "4th floor"], [5]],
  ["the twenty-first of march", [21, "March 21", "2026-03-21"], ["April 2", "2026-04-02"]],
  ["tomorrow at eight", ["tomorrow", "2026-11-21", "Saturday", "20:00", "08:00"], ["21:00", "Clark"]],
  [
    "on friday",
    ["Friday", "friday", "next friday", "Friday, November 20, 2026", "2026-11-20"],
    ["Saturday", "Friday, November 20, 2026, 3:41 PM", "2026-11-19"],
  ],
  ["set a timer for twenty five minutes", [25, 1500], [26, 1200]],
  ["one and a half hours", [90], [110]],
  ["an hour and twenty minutes", [80, 4800], [70, 4900]],
  [
    "i'd like roses and two lilies",
    ["rose", "Roses", "lily", ["roses", "lilies"], { flower: "rose" }],
    ["tulips", ["roses", "tulips"]],
  ],
  ["a check up for my cat", ["check-up", "checkup", "cat"], ["dog"]],
  ["my name is miller with two l", ["Miller", "Muller"], ["Smith"]],
  ["anna dot baker at example dot com", ["anna.baker@example.com"], ["john@example.com"]],
  ["the number is 555 0182", ["5550182", "555-0182"], ["5550183"]],
  ["my number is five five five one two three", ["555123", "555-123"], ["555124"]],
  ["i need a table", ["table", 1, 0], [2, "13:41"]],
  ["rent skis tomorrow", [0, "tomorrow"], [1]],
])("a caller who said %j", (text, yes, no) => {
  test.each(yes.map((value) => [value]))("%j was said", (value) => expect(said(text).has(value)).toBe(true));
  test.each(no.map((value) => [value]))("%j was not said", (value) => expect(said(text).has(value)).toBe(false));
});

describe.each([
  [
    "de",
    "einen Tisch für vier am Freitag um halb acht auf den Namen Müller",
    [4, "19:30", "Freitag", "Friday", "Müller", "Muller"],
    ["Samstag", "Meier"],
  ],
  ["de", "Zimmer einundzwanzig bitte", [21], [22]],
  ["de", "die Nummer ist fünf fünf eins zwei", ["5512"], ["5521"]],
  [
    "fr",
    "une table pour quatre samedi à vingt heures au nom de Dubois",
    [4, "20:00", "samedi", "Saturday", "Dubois"],
    [5, "21:00", "Martin"],
  ],
  ["es", "una mesa para cuatro el viernes a las ocho", [4, "20:00", "viernes"], [6, "21:00"]],
  ["it", "un tavolo per quattro sabato alle otto", [4, "20:00", "sabato"], [6, "21:00"]],
  ["pt", "uma mesa para quatro na sexta-feira às oito", [4, "20:00"], ["21:00"]],
  ["nl", "een tafel voor vier op vrijdag om acht", [4, "20:00", "vrijdag"], [6, "21:00"]],
])("in %s: %j", (code, text, yes, no) => {
  test.each(yes.map((value) => [value]))("%j was said", (value) => expect(said(text, code).has(value)).toBe(true));
  test.each(no.map((value) => [value]))("%j was not said", (value) => expect(said(text, code).has(value)).toBe(false));
});

test("a language without number words does not compare numbers", () => {
  expect(said("stolik dla czterech", "pl").has(4)).toBe(true);
});

describe.each([
  ["de", "um halb acht für sechs, oder mittags", ["19:30", 6, "12:00"], ["20:30", 5]],
  ["de", "viertel vor acht", ["19:45"], ["19:30"]],
  ["fr", "à sept heures et demie, ou à midi", ["19:30", "12:00"], ["20:00", 4]],
  ["es", "a las siete y media, o a medianoche", ["19:30", "00:00"], ["20:15", 4]],
  ["it", "alle otto e un quarto, o a mezzogiorno", ["20:15", "12:00"], ["20:30", 5]],
  ["pt", "às sete e meia, ou ao meio-dia", ["19:30", "12:00"], ["20:15", 4]],
  ["nl", "om half acht, of om middernacht", ["19:30", "00:00"], ["20:15", 4]],
])("%s: a caller who said %j", (code, text, yes, no) => {
  test.each(yes.map((value) => [value]))("%j was said", (value) => expect(said(text, code).has(value)).toBe(true));
  test.each(no.map((value) => [value]))("%j was not said", (value) => expect(said(text, code).has(value)).toBe(false));
});

import { plainText } from "../plain-text.ts";
import { pauses, tidy, untilStable } from "../tidy-speech.ts";
import { spellAddress } from "./spell-address.ts";
import { spokenDates } from "./spoken-dates.ts";
import { spokenNumbers } from "./spoken-numbers.ts";
import { spokenRanges } from "./spoken-ranges.ts";
import { spokenSigns } from "./spoken-signs.ts";
import { spokenWords } from "./spoken-words.ts";

/**
 * English text as it is said: numbers, dates, money, addresses and abbreviations in words. Only letters, apostrophes, spaces and
 * , . ? ! ; : - remain. It may be empty. A second call changes nothing.
 */
export const speakable = untilStable((text) => {
  const signs = spokenNumbers(spokenDates(spokenRanges(plainText(spokenSigns(text), spellAddress))))
    .replace(/ ?& ?/g, " and ")
    .replace(/ ?@ ?/g, " at ")
    .replace(/ ?\+ ?/g, " plus ")
    .replace(/ ?÷ ?/g, " divided by ")
    .replace(/ ?= ?/g, " equals ")
    .replace(/ ?% ?/g, " percent ");
  return tidy(spokenWords(pauses(signs).replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " ")));
});

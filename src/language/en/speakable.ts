import { romanNumbers } from "../roman-numbers.ts";
import { spokenValues } from "../spoken-values.ts";
import { plainText } from "../plain-text.ts";
import { pauses, tidy, untilStable } from "../tidy-speech.ts";
import { ordinal } from "./number-words.ts";
import { spellAddress } from "./spell-address.ts";
import { spokenCodes } from "./spoken-codes.ts";
import { spokenDates } from "./spoken-dates.ts";
import { spokenNumbers } from "./spoken-numbers.ts";
import { spokenRanges } from "./spoken-ranges.ts";
import { spokenSigns } from "./spoken-signs.ts";
import { spokenWords } from "./spoken-words.ts";

const values = spokenValues({
  less: "less than",
  more: "more than",
  atMost: "at most",
  atLeast: "at least",
  plusMinus: "plus or minus",
  unequal: "not equal to",
  squared: "squared",
  cubed: "cubed",
  power: "to the power of",
  hours: "hour|hours",
  minutes: "minute|minutes",
  seconds: "second|seconds",
});

const romans = romanNumbers({
  kings:
    `Henry|Louis|Charles|Elizabeth|George|Edward|William|James|Philip|Napoleon|Pius|Paul|John|Benedict|Francis|Richard|Alexander|Nicholas|
    Catherine|Frederick|Wilhelm|Ferdinand|Leo|Gregory|Innocent|Clement|Urban|Ramesses|Ramses|Ptolemy|Xerxes|Darius|Mary|Peter|Ivan|Haakon|
    Harald|Gustav|Olav|Carlos|Felipe|Emmanuel|Umberto|Christian|Margrethe|Leopold|Otto|Rudolf|Maximilian|Joseph|Robert|David|Alfonso|Victor`.replace(
      /\s/gu,
      "",
    ),
  king: (value) => `the ${ordinal(String(value))}`,
  titles: "King|Queen|Pope|Tsar|Czar|Emperor|Empress",
  counted:
    "world war|war|chapter|part|type|phase|stage|act|volume|section|bowl|level|class|category|grade|title|article|book|appendix|tier|mark|step|unit|schedule|rocky|fantasy|factor|table|figure|group|division|region",
});

/**
 * English text as it is said: numbers, dates, money, addresses and abbreviations in words. Only letters, apostrophes, spaces and
 * , . ? ! ; : - remain. It may be empty. A second call changes nothing.
 */
export const speakable = untilStable((text) => {
  const signs = spokenNumbers(
    spokenDates(spokenRanges(spokenCodes(plainText(spokenSigns(values(romans(text))), spellAddress)))),
  )
    .replace(/ ?& ?/g, " and ")
    .replace(/ ?@ ?/g, " at ")
    .replace(/ ?\+ ?/g, " plus ")
    .replace(/ ?÷ ?/g, " divided by ")
    .replace(/ ?= ?/g, " equals ")
    .replace(/ ?% ?/g, " percent ");
  return tidy(spokenWords(pauses(signs).replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " ")));
});

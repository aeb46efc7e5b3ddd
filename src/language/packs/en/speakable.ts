import { references } from "../../spoken/references.ts";
import { romanNumbers } from "../../spoken/roman-numbers.ts";
import { ownNotation, thousandsMarks } from "../../spoken/spoken-notation.ts";
import { spokenRates } from "../../spoken/spoken-rates.ts";
import { namedRatios, ratios } from "../../spoken/spoken-ratios.ts";
import { spokenSigns } from "../../spoken/spoken-signs.ts";
import { spokenSlashes } from "../../spoken/spoken-slashes.ts";
import { spokenSums } from "../../spoken/spoken-sums.ts";
import { spokenValues } from "../../spoken/spoken-values.ts";
import { weekdays } from "../../spoken/weekdays.ts";
import { plainText } from "../../spoken/plain-text.ts";
import { pauses, tidy, untilStable } from "../../spoken/tidy-speech.ts";
import { fraction, number, ordinal } from "./number-words.ts";
import { shortenedWords } from "./shortened-words.ts";
import { spellAddress } from "./spell-address.ts";
import { spokenCodes } from "./spoken-codes.ts";
import { spokenDates } from "./spoken-dates.ts";
import { spokenDoses } from "./spoken-doses.ts";
import { currencySigns } from "./spoken-money.ts";
import { spokenNumbers } from "./spoken-numbers.ts";
import { spokenRanges } from "./spoken-ranges.ts";
import { spokenWords } from "./spoken-words.ts";
import { unitPattern, units } from "./units.ts";

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
  century: { noun: "[cC]entur(?:y|ies)", mark: "th" },
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

const sums = spokenSums({ times: "times", by: "by", divided: "divided by", minus: "minus", about: "about" });

const signs = spokenSigns({ minus: "minus", to: "to", perDay: "per day", stars: "star|stars" });

const named = references({
  "§§": "sections",
  "§": "section",
  "¶": "paragraph",
  "Art.": "article",
  "Arts.": "articles",
  "n°": "number",
  "N°": "number",
  "No.": "number",
  "Nos.": "numbers",
  "p.": "page",
  "pp.": "pages",
  "ch.": "chapter",
  "Ch.": "chapter",
  "Vol.": "volume",
  "vol.": "volume",
  "Fig.": "figure",
  "para.": "paragraph",
  "Sec.": "section",
});

const days = weekdays(
  [
    "Monday|Mon",
    "Tuesday|Tues|Tue",
    "Wednesday|Wed",
    "Thursday|Thurs|Thur|Thu",
    "Friday|Fri",
    "Saturday|Sat",
    "Sunday|Sun",
  ],
  "to",
  "and|or",
);

const rates = spokenRates({
  units,
  counted:
    "day|dose|week|month|year|hour|minute|second|person|night|share|user|item|unit|page|call|mile|pound|wk|mo|yr|hr",
  per: "per",
});

const slashes = spokenSlashes(
  { fraction, mixed: (whole, part) => `${whole} and ${part}`, outOf: "out of", over: "over", slash: "slash", units },
  number,
);

const notation = ownNotation(".", unitPattern);
const dilutions = namedRatios("ratio|dilut|scale|odds|mix|adrenaline|epinephrine|proportion", "to");
const ratiosOf = ratios("to");
const marks = thousandsMarks(",");

/** Marks, names of numbers and codes, while the text is as it was written. */
const writtenOut = (text: string): string =>
  plainText(values(sums(signs(spokenDoses(shortenedWords(romans(named(currencySigns(marks(text))))))))), spellAddress);

/**
 * English text as it is said: numbers, dates, money, addresses and abbreviations in words. Only letters, apostrophes, spaces and
 * , . ? ! ; : - remain. It may be empty. A second call changes nothing.
 */
export const speakable = untilStable((text) => {
  const amounts = rates(notation(dilutions(spokenCodes(days(writtenOut(text))))));
  const plain = spokenNumbers(ratiosOf(slashes(spokenDates(spokenRanges(amounts)))))
    .replace(
      /(?<!\p{L})(\p{Lu}{2,3})&(?=\p{Lu}{1,2}(?!\p{L}))/gu,
      (_, letters: string) => `${Array.from(letters).join(".")}. and `,
    )
    .replace(/(?<!\p{L})([A-G])#(?![\p{L}\d])/gu, "$1 sharp")
    .replace(/ ?& ?/g, " and ")
    .replace(/ ?@ ?/g, " at ")
    .replace(/ ?\+ ?/g, " plus ")
    .replace(/ ?÷ ?/g, " divided by ")
    .replace(/ ?= ?/g, " equals ")
    .replace(/ ?% ?/g, " percent ");
  return tidy(spokenWords(pauses(plain).replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " ")));
});

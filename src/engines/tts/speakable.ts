import { plainText } from "./plain-text.ts";
import { spokenDates } from "./spoken-dates.ts";
import { spokenNumbers } from "./spoken-numbers.ts";
import { spokenRanges } from "./spoken-ranges.ts";
import { spokenSigns } from "./spoken-signs.ts";
import { spokenWords } from "./spoken-words.ts";

/** One pass may uncover work for another (a dropped sign joins two words); a few always suffice. */
const maxPasses = 6;

/**
 * Text as it is said. English: numbers, dates, money, addresses and abbreviations in words, nothing that only the eye
 * reads; letters, apostrophes, spaces and , . ? ! ; : - only. In other languages digits and the signs that go with them
 * stay: a voice of that language reads them. It may be empty. A second call changes nothing.
 */
export function speakable(text: string, language = "en"): string {
  const once = language === "en" ? english : otherLanguage;
  let spoken = text;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const next = once(spoken);
    if (next === spoken) break;
    spoken = next;
  }
  return spoken;
}

function english(text: string): string {
  const signs = spokenNumbers(spokenDates(spokenRanges(plainText(spokenSigns(text)))))
    .replace(/ ?& ?/g, " and ")
    .replace(/ ?@ ?/g, " at ")
    .replace(/ ?\+ ?/g, " plus ")
    .replace(/ ?÷ ?/g, " divided by ")
    .replace(/ ?= ?/g, " equals ")
    .replace(/ ?% ?/g, " percent ");
  return tidy(spokenWords(pauses(signs).replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " ")));
}

function otherLanguage(text: string): string {
  const plain = plainText(text, (address) => address.replace(/[./_]/g, " "));
  const spoken = tidy(
    pauses(plain.replace(/(?<=\p{Nd}) ?– ?(?=\p{Nd})/gu, "-")).replace(
      /[^\p{L}\p{M}\p{Nd}%€$£¥°+=&@',.?!;:\- ]/gu,
      " ",
    ),
  );
  return /[\p{L}\p{Nd}]/u.test(spoken) ? spoken : "";
}

function pauses(text: string): string {
  return text
    .replace(/…|\.{2,}/g, ", ")
    .replace(/[()[\]{}]/g, ", ")
    .replace(/ ?[—–] ?| -+ |--+/g, ", ");
}

/** Letters said one by one ("N.H.S") with the marks after them; a mark inside a number; other marks. */
const marked =
  /(?<![\p{L}\p{M}'])(\p{L}(?:\.\p{L})+)(?![\p{L}\p{M}])([\s,.?!;:]*)(?=(\p{Lu}|['-])?)|(?<=\p{Nd})([.,:])(?=\p{Nd})|[\s,.?!;:]*[,.?!;:][\s,.?!;:]*/gu;

/** One mark at a time, each after a word and before a space; apostrophes and hyphens inside words only. */
function tidy(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{M}\p{Nd}])(?:'|-(?!\p{Nd}))+|['-]+(?![\p{L}\p{M}\p{Nd}])/gu, " ")
    .replace(/\s+/g, " ")
    .replace(marked, (part, letters?: string, marks?: string, next?: string, inNumber?: string) =>
      letters === undefined ? (inNumber ?? `${strongest(part)} `) : letters + afterLetters(marks ?? "", next),
    )
    .replace(/\s+/g, " ")
    .replace(/^[\s,.?!;:]+/, "")
    .trimEnd();
}

/** The last dot of spelled letters gives way to any other mark; before a capital letter it would end the sentence. */
function afterLetters(marks: string, next: string | undefined): string {
  const mark = strongest(marks.replace(".", "")) || strongest(marks);
  if (mark !== "") return `${mark} `;
  return next === undefined ? `.${marks}` : marks;
}

function strongest(marks: string): string {
  return ["?", "!", ".", ";", ":", ","].find((mark) => marks.includes(mark)) ?? "";
}

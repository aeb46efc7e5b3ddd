import { plainText } from "./plain-text.ts";
import { spokenDates } from "./spoken-dates.ts";
import { spokenNumbers } from "./spoken-numbers.ts";
import { spokenWords } from "./spoken-words.ts";

/** One pass may uncover work for another (a dropped sign joins two words); a few always suffice. */
const maxPasses = 6;

/**
 * Text as it is said: numbers, dates, money, addresses and abbreviations in words, nothing that only the eye reads.
 * The result has letters, apostrophes, spaces and , . ? ! ; : - only; it may be empty. A second call changes nothing.
 */
export function speakable(text: string): string {
  let spoken = text;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const next = speakOnce(spoken);
    if (next === spoken) break;
    spoken = next;
  }
  return spoken;
}

function speakOnce(text: string): string {
  return tidy(spokenWords(onlySpeakable(spokenNumbers(spokenDates(plainText(text))))));
}

function onlySpeakable(text: string): string {
  return text
    .replace(/ ?& ?/g, " and ")
    .replace(/ ?@ ?/g, " at ")
    .replace(/ ?\+ ?/g, " plus ")
    .replace(/ ?= ?/g, " equals ")
    .replace(/ ?% ?/g, " percent ")
    .replace(/…|\.{2,}/g, ", ")
    .replace(/[()[\]{}]/g, ", ")
    .replace(/ ?[—–] ?| -+ |--+/g, ", ")
    .replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " ");
}

/** One mark at a time, each after a word and before a space; apostrophes and hyphens inside words only. */
function tidy(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{M}])['-]+|['-]+(?![\p{L}\p{M}])/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/[\s,.?!;:]*[,.?!;:][\s,.?!;:]*/g, (marks) => `${strongest(marks)} `)
    .replace(/\s+/g, " ")
    .replace(/^[\s,.?!;:]+/, "")
    .trimEnd();
}

function strongest(marks: string): string {
  return ["?", "!", ".", ";", ":", ","].find((mark) => marks.includes(mark)) ?? "";
}

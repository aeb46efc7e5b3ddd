import { cardinal, ordinal, year } from "./number-words.ts";

const months = "January February March April May June July August September October November December".split(" ");
/** A month, whole or shortened. */
export const monthPattern = months
  .map((name) =>
    name === "May" ? "May" : `${name.slice(0, 3)}(?:${name.slice(3)}|${name === "September" ? "t?" : ""}\\.?)`,
  )
  .join("|");
const monthFirst = new RegExp(
  `\\b(${monthPattern}) (\\d{1,2})(?:st|nd|rd|th)?(?![\\d:]|[.,]\\d)(?:,? (\\d{4})(?!\\d))?`,
  "g",
);
const dayFirst = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${monthPattern})(?![a-z])(?:,? (\\d{4})(?!\\d))?`,
  "g",
);
/** "the 2nd of May": its words keep their order. */
const theDay = new RegExp(
  `(?<=\\b[Tt]he )(\\d{1,2})(?:st|nd|rd|th) of (${monthPattern})(?![a-z])(?:,? (\\d{4})(?!\\d))?`,
  "g",
);
const iso = /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/g;
const slashed = /(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4})(?![\d/])/g;
const dotted = /(?<![\d.,])(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)(?![.,]?\d)/gu;
/** A month and a day after a word that comes before dates, except common fractions. */
const monthAndDay =
  /(?=\d{1,2}\/\d)(?<=\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Ff]rom|[Ss]ince|[Bb]efore|[Aa]fter|[Dd]ue|[Dd]ated) )(?!1\/[234](?!\d)|[23]\/[34](?!\d))(\d{1,2})\/(\d{1,2})(?![\d/]|[.,]\d)/gu;
/** "pm", "p.m."; the last dot is captured when it also ends the sentence: nothing, or a capital letter, comes after it. */
const half = String.raw`([aApP])\.?[mM](?![A-Za-z])(?:(\.)(?=\s*(?:\p{Lu}|$))|\.)?`;
const clock = new RegExp(
  String.raw`(?<![\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?: ?${half})?`,
  "gu",
);
const hour = new RegExp(String.raw`(?<![\d:.,])(1[0-2]|0?[1-9]) ?${half}`, "gu");

/** Dates and times of day in words: "2026-11-20" -> "November twentieth, twenty twenty six", "7:30 pm" -> "seven thirty p.m". */
export function spokenDates(text: string): string {
  return text
    .replace(iso, (whole, y: string, m: string, d: string) => date(m, d, y) ?? whole)
    .replace(
      slashed,
      (whole, first: string, second: string, y: string) => date(first, second, y) ?? date(second, first, y) ?? whole,
    )
    .replace(dotted, (whole, d: string, m: string, y: string) => date(m, d, y) ?? whole)
    .replace(monthAndDay, (whole, first: string, second: string) => date(first, second) ?? date(second, first) ?? whole)
    .replace(theDay, (_, d: string, month: string, y?: string) => `${ordinal(d)} of ${withYear(monthName(month), y)}`)
    .replace(monthFirst, (_, month: string, d: string, y?: string) => inWords(monthName(month), d, y))
    .replace(dayFirst, (_, d: string, month: string, y?: string) => inWords(monthName(month), d, y))
    .replace(
      clock,
      (_, h: string, m: string, s?: string, amPm?: string, end?: string) =>
        time(Number(h), Number(m), amPm) + seconds(s) + (end ?? ""),
    )
    .replace(hour, (_, h: string, amPm: string, end?: string) => time(Number(h), 0, amPm) + (end ?? ""));
}

function date(month: string, day: string, y?: string): string | undefined {
  const name = months[Number(month) - 1];
  return name === undefined || Number(day) < 1 || Number(day) > 31 ? undefined : inWords(name, day, y);
}

function inWords(month: string, day: string, y: string | undefined): string {
  return withYear(`${month} ${ordinal(String(Number(day)))}`, y);
}

const withYear = (words: string, y: string | undefined): string => (y === undefined ? words : `${words}, ${year(y)}`);

function monthName(written: string): string {
  return months.find((name) => name.startsWith(written.slice(0, 3))) ?? written;
}

const seconds = (written: string | undefined): string =>
  written === undefined ? "" : ` and ${cardinal(String(Number(written)))} seconds`;

function time(h: number, m: number, amPm: string | undefined): string {
  const hourWords = cardinal(String(amPm === undefined ? h : h % 12 || 12));
  const minuteWords = m === 0 ? "" : ` ${m < 10 ? "oh " : ""}${cardinal(String(m))}`;
  if (amPm !== undefined) return `${hourWords}${minuteWords} ${amPm.toLowerCase()}.m`;
  return minuteWords === "" ? `${hourWords} ${h > 12 || h === 0 ? "hundred" : "o'clock"}` : hourWords + minuteWords;
}

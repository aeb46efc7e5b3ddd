import { cardinal, ordinal, year } from "./number-words.ts";

const months = "January February March April May June July August September October November December".split(" ");
const monthPattern = months.map((name) => (name === "May" ? "May" : `${name.slice(0, 3)}(?:${name.slice(3)}|${name === "September" ? "t?" : ""}\\.?)`)).join("|");
const monthFirst = new RegExp(`\\b(${monthPattern}) (\\d{1,2})(?:st|nd|rd|th)?(?![\\d:]|[.,]\\d)(?:,? (\\d{4})(?!\\d))?`, "g");
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${monthPattern})(?![a-z])(?:,? (\\d{4})(?!\\d))?`, "g");
const iso = /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])/g;
const slashed = /(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4})(?![\d/])/g;
const clock = /(?<![\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?(?![\d:])(?: ?([ap])\.?m(?![a-z])(\.?))?/gi;
const hour = /(?<![\d:.,])(1[0-2]|0?[1-9]) ?([ap])\.?m(?![a-z])(\.?)/gi;

/** Dates and times of day in words: "2026-11-20" -> "November twentieth, twenty twenty six", "7:30 pm" -> "seven thirty p m". */
export function spokenDates(text: string): string {
  return text
    .replace(iso, (whole, y: string, m: string, d: string) => date(m, d, y) ?? whole)
    .replace(slashed, (whole, first: string, second: string, y: string) => date(first, second, y) ?? date(second, first, y) ?? whole)
    .replace(monthFirst, (_, month: string, d: string, y?: string) => inWords(monthName(month), d, y))
    .replace(dayFirst, (_, d: string, month: string, y?: string) => inWords(monthName(month), d, y))
    .replace(clock, (whole, h: string, m: string, half: string | undefined, dot: string | undefined, ...rest: unknown[]) =>
      time(Number(h), Number(m), half) + keptDot(dot, whole, rest),
    )
    .replace(hour, (whole, h: string, half: string, dot: string, ...rest: unknown[]) => time(Number(h), 0, half) + keptDot(dot, whole, rest));
}

function date(month: string, day: string, y: string): string | undefined {
  const name = months[Number(month) - 1];
  return name === undefined || Number(day) < 1 || Number(day) > 31 ? undefined : inWords(name, day, y);
}

function inWords(month: string, day: string, y: string | undefined): string {
  return `${month} ${ordinal(String(Number(day)))}${y === undefined ? "" : `, ${year(y)}`}`;
}

function monthName(written: string): string {
  return months.find((name) => name.startsWith(written.slice(0, 3))) ?? written;
}

function time(h: number, m: number, half: string | undefined): string {
  const hourWords = cardinal(String(half === undefined ? h : h % 12 || 12));
  const minuteWords = m === 0 ? "" : ` ${m < 10 ? "oh " : ""}${cardinal(String(m))}`;
  if (half !== undefined) return `${hourWords}${minuteWords} ${half.toLowerCase()} m`;
  return minuteWords === "" ? `${hourWords} ${h > 12 || h === 0 ? "hundred" : "o'clock"}` : hourWords + minuteWords;
}

/** The dot of "p.m." also ends the sentence when nothing, or a capital letter, comes after it. */
function keptDot(dot: string | undefined, whole: string, rest: readonly unknown[]): string {
  const [offset, text] = rest as [number, string];
  return dot === "." && /^\s*(?:\p{Lu}|$)/u.test(text.slice(offset + whole.length, offset + whole.length + 8)) ? "." : "";
}

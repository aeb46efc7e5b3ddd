import { pattern } from "./spoken-patterns.ts";

/** The dot of an abbreviation, not of a sentence. */
const DOT = String.raw`(?:\.(?!\s*(?:$|\p{Lu})))?`;

/** "Mon-Fri" -> "Monday to Friday". `days`: names with their short forms, "Monday|Mon". `to` and `and`: words between two of them. */
export function weekdays(days: readonly string[], to: string, and = "&"): (text: string) => string {
  const names = days.join("|");
  const full = days.map((day) => day.replace(/\|.*/u, "")).join("|");
  const between = String.raw`(?: ?[-–&,/+] ?| ${to} (?:en met )?| (?:${and}) )`;
  const hours = String.raw` \d{1,2}(?::\d\d| ?h(?!\p{L})| ?[ap]m|[-–]\d{1,2}(?::\d\d| ?(?:h|Uhr|uur)(?!\p{L}))|(?<=\p{Lu}\p{L}{2} \d{1,2})[-–]\d)`;
  const first = pattern(`(?<!\\p{L})(${names})${DOT}(?=${between}(?:${names})\\.?(?!\\p{L})|${hours})`);
  const second = pattern(`(?<=(?<!\\p{L})(?:${full})${between})(${names})${DOT}(?!\\p{L})`);
  const range = pattern(`(?<=(?<!\\p{L})(?:${full})) ?[-–] ?(?=(?:${full})(?!\\p{L}))`);
  const beside = pattern(`(?<=(?<!\\p{L})(?:${full})) ?/ ?(?=(?:${full})(?!\\p{L}))`);
  const nameOf = (_: string, written: string) =>
    days.find((day) => day.split("|").includes(written))?.replace(/\|.*/u, "") ?? written;
  return (text) => text.replace(first, nameOf).replace(second, nameOf).replace(range, ` ${to} `).replace(beside, ", ");
}

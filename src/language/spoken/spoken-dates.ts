import type { NumberRules } from "./number-rules.ts";
import { FREE, pattern } from "./spoken-patterns.ts";

const END = String.raw`(?![\p{L}\d]|[.,:/]\d)`;
/** The words before a date or an ordinal. They may decide its form. */
export const BEFORE = String.raw`((?:\p{L}{1,20} ){0,2})`;

/** "1/4" before a noun is a fraction. */
const NO_FRACTION = String.raw`(?!(?:1/[234]|[23]/[34]) (?!(?:a|à|alle|às|um|om) )\p{L})`;

/** Dates and times of day as they are said. `named`: with the name of the month. `numeric`: all others. */
export function spokenDates(rules: NumberRules) {
  const { months, dayMark, ofMonth, clockMark, clockUnit, to } = rules;
  const named = pattern(
    `${BEFORE}${FREE}(0?[1-9]|[12]\\d|3[01])${dayMark}${ofMonth} (${months.join("|")})(?!\\p{L})(?:\\.(?= \\d{4}))?(?:${ofMonth} (\\d{4})(?!\\d))?`,
    "giu",
  );
  const shortened = months.flatMap((names) => names.split("|").slice(1)).join("|");
  const shortMonth = pattern(
    `(?<=\\d${dayMark}${ofMonth} )(${shortened})(?:\\.(?=[ ,;)])|(?!\\p{L}))|(?<!\\p{L})(${shortened})\\.(?= (?:19|20)\\d\\d)`,
    "giu",
  );
  const iso = pattern(`${BEFORE}${FREE}(\\d{4})-(\\d{2})-(\\d{2})${END}`);
  const numeric = pattern(`${BEFORE}${FREE}(\\d{1,2})([./-])(\\d{1,2})\\3(\\d{4})${END}`);
  const dayAndMonthSlash = pattern(
    `${BEFORE}${FREE}${NO_FRACTION}(?:(?<=(?<!\\p{L})(?:${rules.dayBefore}) )(\\d{1,2})/(\\d{1,2})|(0[1-9]|[12]\\d|3[01])/(0[1-9]))${END}`,
    "giu",
  );
  const dayAndMonth = pattern(`${BEFORE}${FREE}(\\d{1,2})\\.(\\d{1,2})\\.(?!\\d)`);
  const until = pattern(`(?<=\\d(?:${clockMark})(?:\\d\\d)?(?:${clockUnit})?|\\d\\.) ?[-–] ?(?=\\d)`);
  const clock = pattern(`${FREE}([01]?\\d|2[0-4])(?:${clockMark})([0-5]\\d)(?:${clockUnit})?(?![\\p{L}\\d]|[.,:]\\d)`);

  const nameOf = (written: string) => {
    const month = months.find((names) => pattern(`^(?:${names})$`, "iu").test(written)) ?? written;
    return month.replace(/\|.*/u, "");
  };
  const date = (whole: string, word: string, day: string, month: string, year?: string) => {
    const name = months[Number(month) - 1]?.replace(/\|.*/u, "");
    if (name === undefined || Number(day) < 1 || Number(day) > 31) return whole;
    const said = rules.day(Number(day), word.trim().toLowerCase());
    return word + rules.date(said, name, year === undefined ? undefined : rules.year(Number(year)));
  };
  const hourAndMinute = (_: string, hours: string, minutes: string) =>
    rules.time(
      rules.cardinal(String(Number(hours))),
      minutes === "00" ? undefined : rules.cardinal(String(Number(minutes))),
    );

  return {
    named: (text: string): string =>
      text
        .replace(shortMonth, (_, afterDay?: string, alone = "") => nameOf(afterDay ?? String(alone)))
        .replace(named, (_, word: string, day: string, month: string, year?: string) => {
          const said = rules.day(Number(day), word.trim().toLowerCase());
          return word + rules.date(said, nameOf(month), year === undefined ? undefined : rules.year(Number(year)));
        }),
    numeric: (text: string): string =>
      text
        .replace(iso, (whole, word: string, y: string, m: string, d: string) => date(whole, word, d, m, y))
        .replace(numeric, (whole, word: string, d: string, _, m: string, y: string) => date(whole, word, d, m, y))
        .replace(until, ` ${to} `)
        .replace(dayMark === "\\." ? dayAndMonth : /(?!)/u, (whole, word: string, d: string, m: string) =>
          date(whole, word, d, m),
        )
        .replace(dayAndMonthSlash, (whole, word: string, ...found: (string | undefined)[]) =>
          date(whole, word, found[0] ?? found[2] ?? "", found[1] ?? found[3] ?? ""),
        )
        .replace(clock, hourAndMinute),
  };
}

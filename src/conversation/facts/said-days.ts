/** Names of weekdays and months, and words such as "tomorrow", as marks that are equal in all languages. */
export function dayMark(word: string, code: string): string | undefined {
  return marksOf(code).get(word) ?? marksOf("en").get(word);
}

const marks = new Map<string, ReadonlyMap<string, string>>();
const MAX_LANGUAGES = 64;
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

function marksOf(code: string): ReadonlyMap<string, string> {
  const known = marks.get(code);
  if (known !== undefined) return known;
  if (marks.size > MAX_LANGUAGES) marks.clear();
  const names = new Map<string, string>();
  const add = (name: string, mark: string) => {
    const plain = plainName(name);
    if (plain.length > 2) names.set(plain, mark);
  };
  for (const style of ["short", "long"] as const) {
    const weekday = new Intl.DateTimeFormat(code, { weekday: style, timeZone: "UTC" });
    const month = new Intl.DateTimeFormat(code, { month: style, timeZone: "UTC" });
    for (let day = 0; day < 7; day += 1) add(weekday.format(MONDAY + day * DAY_MS), `weekday ${String(day)}`);
    for (let at = 0; at < 12; at += 1) add(month.format(Date.UTC(2024, at, 1)), `month ${String(at)}`);
  }
  const relative = new Intl.RelativeTimeFormat(code, { numeric: "auto" });
  for (const days of [-1, 0, 1, 2]) add(relative.format(days, "day"), `day ${String(days)}`);
  marks.set(code, names);
  return names;
}

const plainName = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/[^\p{L}]/gu, "")
    .toLowerCase();

/** The marks of a date such as "2026-11-20". Undefined: not a date. */
export function dateMarks(text: string): { readonly day: number; readonly marks: readonly string[] } | undefined {
  const date = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return undefined;
  const weekday = `weekday ${String((date.getUTCDay() + 6) % 7)}`;
  return { day: date.getUTCDate(), marks: [weekday, ...[-1, 0, 1, 2].map((days) => `day ${String(days)}`)] };
}

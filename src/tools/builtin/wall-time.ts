const DAY_MS = 86_400_000;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

export const DAYS = ["today", "tomorrow", ...WEEKDAYS] as const;
export type Day = (typeof DAYS)[number];

/**
 * Unix time in ms of the next such day and time in a time zone. Without a day: today, or tomorrow when the time has passed.
 * @param time "HH:MM", 24 hours.
 */
export function nextTime(day: Day | undefined, time: string, timeZone: string, nowMs: number): number {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const today = wallDays(nowMs, timeZone);
  const at = (days: number) => unixMs((today + days) * DAY_MS + (hour * 60 + minute) * 60_000, timeZone);
  if (day === "today") return at(0);
  if (day === "tomorrow") return at(1);
  const isLater = at(0) > nowMs;
  if (day === undefined) return at(isLater ? 0 : 1);
  const days = (WEEKDAYS.indexOf(day) - new Date(today * DAY_MS).getUTCDay() + 7) % 7;
  return at(days === 0 && !isLater ? 7 : days);
}

/** The clock on the wall of a time zone, as if it were UTC, in ms. */
function wallMs(unix: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
    hourCycle: "h23",
  });
  return Date.parse(`${format.format(unix).replace(", ", "T")}Z`);
}

const wallDays = (unix: number, timeZone: string): number => Math.floor(wallMs(unix, timeZone) / DAY_MS);

/** The second step corrects a change to or from summer time between the guess and the result. */
function unixMs(wall: number, timeZone: string): number {
  const guess = wall - (wallMs(wall, timeZone) - wall);
  return guess - (wallMs(guess, timeZone) - wall);
}

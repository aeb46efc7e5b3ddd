import fc from "fast-check";
import { expect, test } from "vitest";
import { DAYS, nextTime } from "../../src/tools/builtin/wall-time.ts";

/** A Friday, 14:41 in New York. */
const NOW = Date.parse("2026-11-20T19:41:00Z");

test.each([
  [undefined, "15:00", "America/New_York", "2026-11-20T20:00:00Z"],
  [undefined, "09:30", "America/New_York", "2026-11-21T14:30:00Z"],
  ["today", "09:30", "America/New_York", "2026-11-20T14:30:00Z"],
  ["tomorrow", "09:30", "America/New_York", "2026-11-21T14:30:00Z"],
  ["friday", "15:00", "America/New_York", "2026-11-20T20:00:00Z"],
  ["friday", "09:30", "America/New_York", "2026-11-27T14:30:00Z"],
  ["sunday", "08:00", "Europe/Berlin", "2026-11-22T07:00:00Z"],
  ["tomorrow", "00:00", "Asia/Kolkata", "2026-11-21T18:30:00Z"],
] as const)("%s at %s in %s", (day, time, zone, expected) => {
  expect(new Date(nextTime(day, time, zone, NOW)).toISOString()).toBe(expected.replace("Z", ".000Z"));
});

test("the night in which summer time ends has one more hour", () => {
  const evening = Date.parse("2026-10-31T22:00:00Z");
  expect(new Date(nextTime("tomorrow", "12:00", "America/New_York", evening)).toISOString()).toBe(
    "2026-11-01T17:00:00.000Z",
  );
});

test("property: the clock on the wall shows the time that was asked for, within a week", () => {
  const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland");
  const minutes = fc.integer({ min: 0, max: 24 * 60 - 1 });
  fc.assert(
    fc.property(
      zones,
      fc.constantFrom(...DAYS),
      minutes,
      fc.integer({ min: 0, max: 4e10 }),
      (zone, day, minute, ago) => {
        const now = NOW - ago;
        const time = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
        const due = nextTime(day, time, zone, now);
        const shown = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "short" }).format(due);
        // An hour that summer time skips does not exist.
        const isSkipped = Math.abs(Number(shown.slice(0, 2)) - Math.floor(minute / 60)) % 22 === 1;
        expect(shown === time || isSkipped).toBe(true);
        expect(due - now).toBeLessThan(8 * 86_400_000);
        if (day !== "today") expect(due).toBeGreaterThan(now);
      },
    ),
  );
});

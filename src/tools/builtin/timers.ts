import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { CallControl, Tool } from "../../conversation/tool-calls/tool.ts";
import { errorCode, OakError } from "../../shared/errors.ts";
import { builtInTool } from "./built-in-tool.ts";
import type { CallTimers, Timer, TimerBook } from "./timer-book.ts";
import { DAYS, nextTime } from "./wall-time.ts";

const LONGEST_MS = 86_400_000;

/** Before the call is ready. No tool is called then. */
const NO_TIMERS: CallTimers = { set: () => undefined, list: () => [], cancel: () => undefined };

const label = z.string().max(100);
const count = z.int().min(0).max(86_400);

/** Timers and reminders that ring: the service speaks first when one is due. */
export function timerTools(
  { voice, language, signal, onReady, keepTimers, say }: CallControl,
  book: TimerBook,
): readonly Tool[] {
  let timers: CallTimers = NO_TIMERS;
  onReady((callerId) => {
    timers = book.attach(callerId, signal, ({ kind, label: text }, rung) => say(language().rings[kind](text), rung));
  });
  keepTimers({
    list: () => timers.list().map(({ timer, leftMs }) => ({ ...timer, leftMs: Math.max(0, leftMs) })),
    restore: (kept) => {
      for (const { leftMs, ...timer } of kept.toSorted((one, other) => one.leftMs - other.leftMs))
        if (!setIfPossible(timers, timer, Math.max(0, leftMs))) return;
    },
    clear: () => {
      for (const { timer } of timers.list()) timers.cancel(timer);
    },
  });
  /** Those that are due are being said. */
  const set = () => timers.list().filter(({ leftMs }) => leftMs > 0);
  const timeOf = (unixMs: number) =>
    new Intl.DateTimeFormat("en", { timeZone: voice.timezone, weekday: "long", hour: "numeric", minute: "2-digit" }).format(unixMs); // prettier-ignore
  const told = ({ kind, label: text, at }: Timer, leftMs: number) =>
    kind === "timer" ? { timer: text, rings_in: duration(leftMs) } : { reminder: text, rings_at: at };
  return [
    builtInTool({
      name: "set_timer",
      description: "Sets a timer that rings after a time.",
      parameters: z.object({
        hours: count.optional(),
        minutes: count.optional(),
        seconds: count.optional(),
        label: label.optional(),
      }),
      run({ hours = 0, minutes = 0, seconds = 0, label: text = "" }) {
        const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000;
        if (ms <= 0 || ms > LONGEST_MS)
          throw new OakError("a timer runs for one second to 24 hours.", { code: "TOOL_REFUSED" });
        const timer: Timer = { id: randomUUID(), kind: "timer", label: text, at: "" };
        // "No, make it nine minutes": a timer of the same name is set anew.
        const same =
          text === "" ? [] : set().filter(({ timer: other }) => other.kind === "timer" && isNamed(other, text));
        for (const other of same) timers.cancel(other.timer);
        timers.set(timer, ms);
        return told(timer, ms);
      },
    }),
    builtInTool({
      name: "set_reminder",
      description: "Reminds the caller of something at a time of day.",
      parameters: z.object({
        day: z.enum(DAYS).optional(),
        time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be HH:MM"),
        text: label.min(1),
      }),
      run({ day, time: at, text }) {
        const nowMs = Date.now();
        const dueMs = nextTime(day, at, voice.timezone, nowMs);
        if (dueMs <= nowMs) throw new OakError("this time has passed.", { code: "TOOL_REFUSED" });
        const timer: Timer = { id: randomUUID(), kind: "reminder", label: text, at: timeOf(dueMs) };
        timers.set(timer, dueMs - nowMs);
        return told(timer, dueMs - nowMs);
      },
    }),
    builtInTool({
      name: "list_timers",
      mayRepeat: true,
      description: "Lists the timers and reminders that are set.",
      parameters: z.object({}),
      run: () => set().map(({ timer, leftMs }) => told(timer, leftMs)),
    }),
    builtInTool({
      name: "cancel_timer",
      description: "Cancels a timer or a reminder. Without a label: the only one, or all.",
      parameters: z.object({ label: label.optional() }),
      run({ label: text }) {
        const found = set().flatMap(({ timer }) => (text === undefined || isCalled(timer, text) ? [timer] : []));
        if (found.length === 0) throw new OakError("no such timer is set.", { code: "TOOL_REFUSED" });
        for (const timer of found) timers.cancel(timer);
        return { cancelled: found.map((timer) => timer.label) };
      },
    }),
  ];
}

/** False when too many timers are set, by other calls of the same caller too. */
function setIfPossible(timers: CallTimers, timer: Timer, delayMs: number): boolean {
  try {
    timers.set(timer, delayMs);
    return true;
  } catch (error) {
    if (errorCode(error) === "TOOL_REFUSED") return false;
    throw error;
  }
}

const isCalled = (timer: Timer, text: string): boolean => timer.label.toLowerCase().includes(text.trim().toLowerCase());

const isNamed = (timer: Timer, text: string): boolean => timer.label.trim().toLowerCase() === text.trim().toLowerCase();

/** "1 hour 5 minutes" */
function duration(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000));
  const parts = [
    [Math.floor(total / 3600), "hour"],
    [Math.floor(total / 60) % 60, "minute"],
    [total % 60, "second"],
  ] as const;
  return parts.flatMap(([number, unit]) => (number === 0 ? [] : [`${String(number)} ${unit}${number === 1 ? "" : "s"}`])).join(" ") || "0 seconds"; // prettier-ignore
}

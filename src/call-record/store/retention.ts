import type { Log } from "../../shared/log.ts";
import { errorCode, errorMessage } from "../../shared/errors.ts";
import type { RecordPart } from "./record-layout.ts";
import type { RecordStore, RecordSummary } from "./record-store.ts";

const DAY_MS = 86_400_000;

export type RetentionDays = Readonly<Record<RecordPart, number>>;

/** The days that the record was made with, or the present ones of its configuration where they are fewer. */
export function partsDue(
  { startedAt, endedAt, retentionDays = {}, parts, state }: RecordSummary,
  present: RetentionDays | undefined,
  nowMs: number,
): RecordPart[] {
  const fromMs = Date.parse(endedAt ?? startedAt ?? "");
  if (Number.isNaN(fromMs) || state === "open") return [];
  const isDue = (part: RecordPart) =>
    nowMs - fromMs >= DAY_MS * Math.min(retentionDays[part] ?? 0, present?.[part] ?? Infinity);
  // Nothing is kept longer than the part that says what it belongs to.
  return isDue("call") ? [...parts] : parts.filter(isDue);
}

export interface SweepOptions {
  readonly store: RecordStore;
  /** The present days of a configuration. Undefined: it does not exist any more. */
  readonly retentionOf: (configId: string) => RetentionDays | undefined;
  readonly log: Log;
  readonly nowMs: number;
}

/** Erases what is due, and what was erased before a backup brought it back. Returns the number of files. */
export async function sweep({ store, retentionOf, log, nowMs }: SweepOptions): Promise<number> {
  const erased = await store.audit.erasedIds();
  for (const id of await store.messageIds()) if (erased.has(id)) await store.erase(id);
  let files = 0;
  for (const id of await store.ids()) {
    try {
      const summary = await store.summary(id);
      const due = summary === undefined ? [] : partsDue(summary, retentionOf(summary.configId ?? ""), nowMs);
      const isWhole = erased.has(id) || due.includes("call") || (summary === undefined && isOlderThanADay(id, nowMs));
      if (!isWhole && due.length === 0) continue;
      await (isWhole ? store.erase(id) : store.erase(id, due));
      files += isWhole ? (summary?.parts.length ?? 1) : due.length;
      if (!erased.has(id))
        await store.audit.add({
          action: "expired",
          by: "retention",
          records: [id],
          ...(isWhole ? {} : { parts: due }),
        });
    } catch (error) {
      log.error({ code: errorCode(error), record: id }, errorMessage(error));
    }
  }
  return files;
}

/** A record whose first part cannot be read says nothing about its retention, so it has none. */
function isOlderThanADay(id: string, nowMs: number): boolean {
  const start = `${id.slice(0, 4)}-${id.slice(4, 6)}-${id.slice(6, 8)}T${id.slice(9, 11)}:${id.slice(11, 13)}:00Z`;
  return nowMs - Date.parse(start) > DAY_MS;
}

import type { CallNotes } from "../store/record-lines.ts";
import type { RecordContent, RecordStore, RecordSummary } from "../store/record-store.ts";

export interface RecordFilter {
  /** Id of a record, or of a connection. */
  readonly id?: string | undefined;
  readonly caller?: string | undefined;
  readonly configId?: string | undefined;
  readonly projectId?: string | undefined;
  /** First and last UTC day, "2026-11-29". */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Words of the transcript. */
  readonly search?: string | undefined;
}

/** The records that match, the newest first. @param most How many. */
export async function findRecords(store: RecordStore, filter: RecordFilter, most = Infinity): Promise<RecordSummary[]> {
  const found: RecordSummary[] = [];
  for (const id of (await store.ids()).toReversed()) {
    if (found.length >= most) break;
    if (!isInDays(id, filter)) continue;
    const summary = await store.summary(id);
    if (summary === undefined || !matches(summary, filter)) continue;
    if (filter.search !== undefined && !(await store.says(id, filter.search.toLowerCase()))) continue;
    found.push(summary);
  }
  return found;
}

/** True when the filter would match every record. */
export const isUnbounded = ({ id, caller, from, to, configId, search }: RecordFilter): boolean =>
  [id, caller, from, to, configId, search].every((field) => field === undefined);

/** The day is a part of the id, so other days are not read. */
function isInDays(id: string, { from, to }: RecordFilter): boolean {
  const day = id.slice(0, 8);
  return day >= (from ?? "").replaceAll("-", "") && day <= (to ?? "9999-99-99").replaceAll("-", "");
}

function matches(summary: RecordSummary, { id, caller, configId, projectId }: RecordFilter): boolean {
  const ids = [summary.id, summary.connectionId, ...(summary.resumedAs ?? [])];
  if (id !== undefined && !ids.includes(id)) return false;
  if (caller !== undefined && summary.callerId !== caller) return false;
  if (configId !== undefined && summary.configId !== configId) return false;
  return projectId === undefined || summary.projectId === projectId;
}

const COLUMNS = ["id", "state", "started_at", "ended_at", "duration_ms", "turns", "end_reason", "config_id", "project_id", "caller_id", "connection_id"] as const; // prettier-ignore

/** A table for spreadsheets. */
export function recordsCsv(records: readonly RecordSummary[]): string {
  const rows = records.map((record) => [
    record.id, record.state, record.startedAt, record.endedAt, record.durationMs, record.turns, record.endReason,
    record.configId, record.projectId, record.callerId, record.connectionId,
  ]); // prettier-ignore
  return `${[COLUMNS, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** A leading sign would make a formula of a name that a caller chose. */
function cell(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const safe = /^[=+\-@\t\r]/u.test(text) && typeof value === "string" ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The transcript for people: one line for each turn, reply and tool. */
export function transcriptText(record: RecordContent): string {
  const lines = record.words.flatMap((line): [number, string][] => {
    switch (line.type) {
      case "caller":
        return [[line.startMs, `caller     ${line.text}${line.isOpen === true ? " ..." : ""}`]];
      case "overlap":
        return [[line.startMs, `caller     (over the reply) ${line.text}`]];
      case "assistant": {
        const cut = line.heard === undefined ? "" : ` [cut off: ${line.text.slice(line.heard.length).trim()}]`;
        return [[line.startMs, `assistant  ${line.heard ?? line.text}${cut}`]];
      }
      case "emotion":
        return [[line.atMs, `emotion    ${line.scores.map(([name, score]) => `${name} ${String(score)}`).join(", ")}`]];
      case "notes":
        return [[line.atMs, `notes      ${notesText(line)}`]];
      case "gap":
        return [[line.atMs, "gap        words are missing: the disk did not take them"]];
    }
  });
  const tools = record.toolCalls.map(({ atMs, name, outcome, arguments: args, result }): [number, string] => [
    atMs,
    `tool       ${name} ${args} -> ${outcome}: ${result}`,
  ]);
  return [...lines, ...tools]
    .toSorted(([one], [other]) => one - other)
    .map(([atMs, text]) => `${clock(atMs)}  ${text}`)
    .join("\n");
}

const notesText = ({ summary, fields, fault }: CallNotes): string =>
  [summary, fields === undefined ? undefined : JSON.stringify(fields), fault && `(${fault})`]
    .filter((part) => part !== undefined)
    .join(" ");

function clock(ms: number): string {
  const tenths = Math.floor(ms / 100);
  const [minutes, seconds] = [Math.floor(tenths / 600), Math.floor(tenths / 10) % 60];
  return `${String(minutes).padStart(2, "0")}:${String(seconds).padStart(2, "0")}.${String(tenths % 10)}`;
}

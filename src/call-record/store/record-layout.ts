import { randomBytes } from "node:crypto";
import { join } from "node:path";

/** The kinds of content that are kept apart, each in a file of its own with its own retention. */
export const RECORD_PARTS = ["call", "words", "tools", "audio"] as const;
export type RecordPart = (typeof RECORD_PARTS)[number];

const RECORD_ID = /^(\d{8})-\d{6}-[0-9a-f]{16}$/u;
const DAY = /^\d{4}-\d{2}-\d{2}$/u;

/** Names one record: the UTC time of its start, and a random part. Nothing of the caller. */
export const newRecordId = (start: Date): string =>
  `${start.toISOString().slice(0, 19).replaceAll(/[-:]/gu, "").replace("T", "-")}-${randomBytes(8).toString("hex")}`;

export const isRecordId = (text: string): boolean => RECORD_ID.test(text);
export const isDay = (text: string): boolean => DAY.test(text);

export const callsFolder = (folder: string): string => join(folder, "calls");

/** @param id A valid one. */
export function recordFolder(folder: string, id: string): string {
  const day = RECORD_ID.exec(id)?.[1] ?? "";
  return join(callsFolder(folder), `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`, id);
}

export const partPath = (folder: string, id: string, part: RecordPart): string =>
  join(recordFolder(folder, id), `${part}.oak`);

export const outboxFolder = (folder: string): string => join(folder, "outbox");

/** The message about a call, until the receiver of webhooks has it. */
export const outboxPath = (folder: string, id: string): string => join(outboxFolder(folder), `${id}.oak`);

/** The name that the key of a file is derived for. */
export const partName = (id: string, part: RecordPart): string => `${id}/${part}`;

import { existsSync } from "node:fs";
import { open, readdir, rmdir, unlink } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { OakError } from "../../shared/errors.ts";
import { fileErrorReason } from "../../shared/files/file-error.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { isAlive, startTicks } from "../../shared/is-alive.ts";
import { AuditLog } from "./audit.ts";
import { readRecordKey, type RecordKey } from "./record-key.ts";
import {
  callsFolder,
  isDay,
  isRecordId,
  outboxFolder,
  outboxPath,
  partName,
  partPath,
  RECORD_PARTS,
  recordFolder,
  type RecordPart,
} from "./record-layout.ts";
import { callLineSchema, SettledLines, type CallLine, type ToolLine, type WordsLine } from "./record-lines.ts";
import { HEAD_BYTES, SealedReader, Sealer } from "./sealed-file.ts";

const CHECK_NAME = "store";

/** A record as it is listed. */
export interface RecordSummary extends CallLine {
  readonly id: string;
  readonly state: "open" | "ended" | "interrupted" | "refused" | "withdrawn";
  /** Parts that are there. */
  readonly parts: readonly RecordPart[];
}

export interface RecordContent extends RecordSummary {
  readonly words: readonly WordsLine[];
  readonly toolCalls: readonly ToolLine[];
}

/** Names this process, so that its open calls differ from those of a process that was killed. */
export const processName = (): string => `${String(process.pid)} ${startTicks(process.pid) ?? ""}`.trim();

function isRunning(name: string): boolean {
  const [pid = "", ticks] = name.split(" ");
  if (!isAlive(Number(pid))) return false;
  return ticks === undefined || (startTicks(Number(pid)) ?? ticks) === ticks;
}

/** The records of a folder. Several processes may use it: a server that writes, and the operator's commands. */
export class RecordStore {
  readonly folder: string;
  readonly key: RecordKey;
  readonly audit: AuditLog;

  private constructor(folder: string, key: RecordKey) {
    this.folder = folder;
    this.key = key;
    this.audit = new AuditLog(folder);
  }

  /**
   * Opens the folder, or makes it.
   * @throws OakError `RECORD_KEY_INVALID` when the key is missing, too short or not that of the folder; `RECORD_UNWRITABLE`.
   */
  static async open(folder: string, keyFile: string): Promise<RecordStore> {
    const key = readRecordKey(keyFile);
    const check = join(folder, "store.oak");
    try {
      if (!existsSync(check)) {
        if (existsSync(callsFolder(folder)))
          throw new OakError(`call_record.dir: ${folder} has records but no store.oak. Restore that file.`, {
            code: "RECORD_KEY_INVALID",
          });
        makeFolder(folder, 0o700);
        await writeCheck(check, key);
      }
    } catch (cause) {
      if (cause instanceof OakError) throw cause;
      const message = `call_record.dir: ${folder} cannot be used: ${fileErrorReason(cause)}.`;
      throw new OakError(message, { code: "RECORD_UNWRITABLE", cause });
    }
    await using reader = await SealedReader.open(check, key, CHECK_NAME);
    if ((await reader?.blocks().next())?.value === undefined) {
      const message = `call_record.key_file: ${keyFile} is not the key of the records in ${folder}. Restore the key that made them, or use another call_record.dir.`;
      throw new OakError(message, { code: "RECORD_KEY_INVALID" });
    }
    return new RecordStore(folder, key);
  }

  path(id: string, part: RecordPart): string {
    return partPath(this.folder, id, part);
  }

  /** All ids, the oldest first. */
  async ids(): Promise<string[]> {
    const days = (await namesIn(callsFolder(this.folder))).filter(isDay).toSorted();
    const ids: string[] = [];
    for (const day of days)
      ids.push(...(await namesIn(join(callsFolder(this.folder), day))).filter(isRecordId).toSorted());
    return ids;
  }

  /** Undefined when there is no such record, or nothing of it can be read. */
  async summary(id: string): Promise<RecordSummary | undefined> {
    if (!isRecordId(id)) return undefined;
    const parts = RECORD_PARTS.filter((part) => existsSync(this.path(id, part)));
    if (!parts.includes("call")) return undefined;
    const lines = await this.#lines<unknown>(id, "call");
    if (lines.length === 0) return undefined;
    const merged = Object.assign({}, ...lines) as unknown;
    const parsed = callLineSchema.safeParse(merged);
    if (!parsed.success) return undefined;
    const { data } = parsed;
    return { ...data, id, parts, state: stateOf(data) };
  }

  async content(id: string): Promise<RecordContent | undefined> {
    const summary = await this.summary(id);
    if (summary === undefined) return undefined;
    const { sorted: words } = await this.#words(id);
    const toolCalls = await this.#lines<ToolLine>(id, "tools");
    return { ...summary, words, toolCalls };
  }

  /** Whether a turn or a reply has these words. @param wanted In lower case. */
  async says(id: string, wanted: string): Promise<boolean> {
    for (const line of (await this.#words(id)).all)
      if ("text" in line && line.text.toLowerCase().includes(wanted)) return true;
    return false;
  }

  /** A reader of the audio. Undefined when none was kept. */
  async audio(id: string): Promise<SealedReader | undefined> {
    if (!isRecordId(id) || !existsSync(this.path(id, "audio"))) return undefined;
    return SealedReader.open(this.path(id, "audio"), this.key, partName(id, "audio"));
  }

  /**
   * Removes records with the messages about them. The journal has the line first: an erasure that is cut short is completed by the next
   * sweep. Returns the ids that were there. @throws OakError `RECORD_UNWRITABLE`.
   */
  async eraseRecords(ids: readonly string[], by: string): Promise<string[]> {
    const records = ids.filter((id) => this.#has(id));
    if (records.length === 0) return records;
    const note = () => this.audit.add({ action: "erased", by, records });
    const isNoted = await note().then(
      () => true,
      () => false,
    );
    for (const id of records) await this.erase(id);
    // A full disk may have room now.
    if (!isNoted) await note();
    return records;
  }

  #has(id: string): boolean {
    return (
      isRecordId(id) && [recordFolder(this.folder, id), outboxPath(this.folder, id)].some((path) => existsSync(path))
    );
  }

  /** Removes parts of a record, or all of it with the message about it. True when something was there. @throws OakError `RECORD_UNWRITABLE`. */
  async erase(id: string, parts: readonly RecordPart[] = RECORD_PARTS): Promise<boolean> {
    if (!isRecordId(id)) return false;
    let isErased = false;
    for (const part of parts) isErased = (await eraseFile(this.path(id, part))) || isErased;
    if (parts === RECORD_PARTS) isErased = (await eraseFile(outboxPath(this.folder, id))) || isErased;
    const folder = recordFolder(this.folder, id);
    if ((await namesIn(folder)).length === 0) {
      await rmdir(folder).catch(() => undefined);
      await rmdir(dirname(folder)).catch(() => undefined);
    }
    return isErased;
  }

  /** Ids of the messages that wait for the receiver of webhooks. */
  async messageIds(): Promise<string[]> {
    const names = await namesIn(outboxFolder(this.folder));
    return names.map((name) => name.replace(/\.oak$/u, "")).filter(isRecordId);
  }

  async #words(id: string): Promise<SettledLines> {
    const lines = new SettledLines();
    for await (const line of this.#read<WordsLine>(id, "words")) lines.add(line);
    return lines;
  }

  async #lines<Line>(id: string, part: RecordPart): Promise<Line[]> {
    const lines: Line[] = [];
    for await (const line of this.#read<Line>(id, part)) lines.push(line);
    return lines;
  }

  async *#read<Line>(id: string, part: RecordPart): AsyncGenerator<Line> {
    const path = this.path(id, part);
    if (!existsSync(path)) return;
    await using reader = await SealedReader.open(path, this.key, partName(id, part));
    if (reader === undefined) return;
    for await (const { content } of reader.blocks()) yield JSON.parse(content.toString()) as Line;
  }
}

function stateOf({ endedAt, process: writer, consent = [] }: CallLine): RecordSummary["state"] {
  const last = consent.at(-1)?.state;
  if (last === "refused" || last === "withdrawn") return last;
  if (endedAt !== undefined) return "ended";
  return writer !== undefined && isRunning(writer) ? "open" : "interrupted";
}

async function writeCheck(path: string, key: RecordKey): Promise<void> {
  const sealer = new Sealer(key, CHECK_NAME);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(Buffer.concat([sealer.head, sealer.seal(Buffer.from("1"))]));
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Overwrites the head, without which the rest cannot be decrypted, and removes the file. False when there is none.
 * @throws OakError `RECORD_UNWRITABLE`.
 */
export async function eraseFile(path: string): Promise<boolean> {
  try {
    const file = await open(path, "r+");
    try {
      const { size } = await file.stat();
      await file.write(randomBytes(Math.min(size, HEAD_BYTES)), 0, Math.min(size, HEAD_BYTES), 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await unlink(path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw new OakError(`${path} cannot be erased: ${fileErrorReason(cause)}.`, { code: "RECORD_UNWRITABLE", cause });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

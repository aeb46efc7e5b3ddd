import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Who did something with which records. No content of them. */
export interface AuditLine {
  readonly at: string;
  readonly action: "erased" | "expired" | "exported" | "shown" | "played" | "listed" | "searched";
  /** "retention", "command line USER", "key KEY_ID", "caller". */
  readonly by: string;
  /** Ids of records. */
  readonly records: readonly string[];
  readonly parts?: readonly string[];
}

const PRESENT = "audit.jsonl";
/** A full file, named by the time of its last line. */
const FULL = /^audit-(\d{4}-\d{2}-\d{2})T\d{9}Z-[0-9a-f]{8}\.jsonl$/u;
/** About 30,000 lines. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Full files. Those beyond it go also before their days. */
const MOST_FILES = 50;
const DAY_MS = 86_400_000;

/**
 * Lines of JSON that are only added. A file that is full gets another name, so the journal is bounded. A program that may write the
 * folder may change it: it is a journal, not a proof.
 */
export class AuditLog {
  readonly #folder: string;
  readonly #mostBytes: number;

  /** @param mostBytes Size from which a file is full. */
  constructor(folder: string, mostBytes = MOST_BYTES) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  async add(line: Omit<AuditLine, "at">): Promise<void> {
    const at = new Date().toISOString();
    const file = join(this.#folder, PRESENT);
    const { size, isCut } = await endOf(file);
    if (size >= this.#mostBytes) {
      // The random part: a rename would replace a file of the same name.
      const name = `audit-${at.replaceAll(/[:.]/gu, "")}-${randomBytes(4).toString("hex")}.jsonl`;
      // Another process may have renamed it already.
      await rename(file, join(this.#folder, name)).catch(ifMissing);
    }
    const text = `${isCut ? "\n" : ""}${JSON.stringify({ at, ...line })}\n`;
    await appendFile(file, text, { mode: 0o600, flush: true });
  }

  /** Removes full files that are older than so many days. */
  async expire(days: number, nowMs: number): Promise<void> {
    const full = (await this.#files()).filter((name) => name !== PRESENT);
    const kept = full.slice(-MOST_FILES);
    for (const name of full) {
      const day = Date.parse(FULL.exec(name)?.[1] ?? "");
      if (kept.includes(name) && nowMs - day < (days + 1) * DAY_MS) continue;
      await unlink(join(this.#folder, name)).catch(ifMissing);
    }
  }

  /** Ids that were erased as a whole. A backup that was restored may have brought them back. */
  async erasedIds(): Promise<Set<string>> {
    const erased = new Set<string>();
    for (const name of await this.#files())
      // Piece by piece: calls go on meanwhile.
      for await (const text of createInterface(createReadStream(join(this.#folder, name)))) {
        const line = parsed(text);
        if ((line?.action === "erased" || line?.action === "expired") && line.parts === undefined)
          for (const id of line.records) erased.add(id);
      }
    return erased;
  }

  /** The files of the journal, the oldest first. */
  async #files(): Promise<string[]> {
    const names = await readdir(this.#folder);
    const full = names.filter((name) => FULL.test(name)).toSorted();
    return names.includes(PRESENT) ? [...full, PRESENT] : full;
  }
}

function parsed(text: string): AuditLine | undefined {
  try {
    return JSON.parse(text) as AuditLine;
  } catch {
    // The machine stopped while it was written.
    return undefined;
  }
}

/** Whether its last line was cut, because the machine stopped while it was written. */
async function endOf(path: string): Promise<{ readonly size: number; readonly isCut: boolean }> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1, "\n"), 0, 1, Math.max(0, size - 1));
    return { size, isCut: buffer.toString() !== "\n" };
  } catch (error) {
    ifMissing(error);
    return { size: 0, isCut: false };
  }
}

function ifMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

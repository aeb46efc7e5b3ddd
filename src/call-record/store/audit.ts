import { appendFile, readFile } from "node:fs/promises";

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

/** Lines of JSON that are only added. A program that may write the folder may change it: it is a journal, not a proof. */
export class AuditLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async add(line: Omit<AuditLine, "at">): Promise<void> {
    const text = `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`;
    await appendFile(this.#file, text, { mode: 0o600, flush: true });
  }

  /** Ids that were erased as a whole. A backup that was restored may have brought them back. */
  async erasedIds(): Promise<Set<string>> {
    const erased = new Set<string>();
    for (const line of await this.#lines())
      if ((line.action === "erased" || line.action === "expired") && line.parts === undefined)
        for (const id of line.records) erased.add(id);
    return erased;
  }

  async #lines(): Promise<AuditLine[]> {
    let text: string;
    try {
      text = await readFile(this.#file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
    return text.split("\n").flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as AuditLine];
      } catch {
        // The machine stopped while it was written.
        return [];
      }
    });
  }
}

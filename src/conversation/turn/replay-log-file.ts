import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../shared/log.ts";
import { fileErrorReason } from "../../shared/files/file-error.ts";
import type { ReplayLogLine } from "./replay-log.ts";

/** A session of an hour has about 20 MB of frames; the log ends here. */
const MAX_BYTES = 64_000_000;

/** Writes a session's turn events to a file of its own. A failing disk ends the log, not the call. */
export class ReplayLogFile {
  readonly #file: string;
  readonly #stream: WriteStream;
  #bytes = 0;
  #broken = false;

  /** `folder` exists; `name`: of letters, digits and `. _ ~ -`. */
  constructor(folder: string, name: string, log: Log) {
    this.#file = join(folder, `${Date.now().toString(36)}-${name}.jsonl`);
    this.#stream = createWriteStream(this.#file, { mode: 0o600 });
    this.#stream.on("error", (error) => {
      this.#broken = true;
      log.warn({ fault: `${folder}: ${fileErrorReason(error)}` }, "a replay log could not be written");
    });
  }

  write(line: ReplayLogLine): void {
    if (this.#broken || this.#bytes > MAX_BYTES) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += text.length;
    this.#stream.write(text);
  }

  async close(): Promise<void> {
    this.#stream.end();
    // A failed stream is closed already.
    if (!this.#stream.closed) await once(this.#stream, "close").catch(() => undefined);
    // A log with a broken line cannot be replayed.
    if (this.#broken) await rm(this.#file, { force: true }).catch(() => undefined);
  }
}

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../shared/log.ts";
import { fileErrorReason } from "../../shared/files/file-error.ts";
import type { TraceLine } from "./replay-log.ts";

/** A session of an hour has about 20 MB of frames; a trace ends here. */
const MAX_BYTES = 64_000_000;

/** Writes a session's turn events to a file of its own. A failing disk ends the trace, not the call. */
export class TraceFile {
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
      log.warn({ fault: `${folder}: ${fileErrorReason(error)}` }, "a turn trace could not be written");
    });
  }

  write(line: TraceLine): void {
    if (this.#broken || this.#bytes > MAX_BYTES) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += text.length;
    this.#stream.write(text);
  }

  async close(): Promise<void> {
    this.#stream.end();
    // A failed stream is closed already.
    if (!this.#stream.closed) await once(this.#stream, "close").catch(() => undefined);
    // A trace with a broken line cannot be replayed.
    if (this.#broken) await rm(this.#file, { force: true }).catch(() => undefined);
  }
}

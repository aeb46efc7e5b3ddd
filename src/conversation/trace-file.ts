import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import type { Log } from "../shared/log.ts";
import { errorMessage } from "../shared/errors.ts";
import type { TraceLine } from "../turn/trace.ts";

/** A session of an hour has about 20 MB of frames; a trace ends here. */
const MAX_BYTES = 64_000_000;

/** Writes a session's turn events to a file of its own. A disk that fails costs the trace, not the call. */
export class TraceFile {
  readonly #stream: WriteStream;
  #bytes = 0;
  #broken = false;

  /** `folder` exists; `name`: of letters, digits and `. _ ~ -`. */
  constructor(folder: string, name: string, log: Log) {
    this.#stream = createWriteStream(join(folder, `${Date.now().toString(36)}-${name}.jsonl`), { mode: 0o600 });
    this.#stream.on("error", (error) => {
      this.#broken = true;
      log.warn({ fault: errorMessage(error) }, "a turn trace could not be written");
    });
  }

  write(line: TraceLine): void {
    if (this.#broken || this.#bytes > MAX_BYTES) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += text.length;
    this.#stream.write(text);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(() => resolve()));
  }
}

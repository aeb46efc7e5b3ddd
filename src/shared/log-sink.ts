import { writeSync } from "node:fs";

/** Lines that wait while nothing can be written; what comes after is dropped and counted. */
const MOST_WAITING_BYTES = 1_000_000;
const TRY_AGAIN_MS = 500;

/**
 * Where the log's lines go. A full disk or a reader that stands still must cost no call: lines wait, are dropped when too
 * many do, and never hold up or end the process.
 */
export class LogSink {
  readonly #descriptor: number;
  readonly #lostLine: (count: number, cause: string) => string;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #cause = "";

  /** @param lostLine Says how many lines were dropped, and why. */
  constructor(descriptor: number, lostLine: (count: number, cause: string) => string) {
    this.#descriptor = descriptor;
    this.#lostLine = lostLine;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    const isHeldUp = this.#waitingBytes > 0;
    if (this.#waitingBytes + bytes.length > MOST_WAITING_BYTES) {
      this.#lost += 1;
      return;
    }
    this.#keep(bytes);
    if (!isHeldUp) this.flush();
  }

  /** Writes what can be written now. */
  flush(): void {
    while (this.#waitingBytes > 0) {
      let left = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
      try {
        left = left.subarray(writeSync(this.#descriptor, left));
      } catch (error) {
        this.#cause = error instanceof Error ? error.message : String(error);
        setTimeout(() => this.flush(), TRY_AGAIN_MS).unref();
        return;
      } finally {
        this.#waiting = left.length === 0 ? [] : [left];
        this.#waitingBytes = left.length;
      }
      if (this.#waitingBytes === 0 && this.#lost > 0) {
        this.#keep(Buffer.from(this.#lostLine(this.#lost, this.#cause)));
        this.#lost = 0;
      }
    }
  }

  #keep(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }
}

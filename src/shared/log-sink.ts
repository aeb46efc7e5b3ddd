import { writeSync } from "node:fs";

/** Lines beyond this are dropped and counted. */
const MAX_WAITING_BYTES = 1_000_000;
const RETRY_MS = 500;

/**
 * Writes the log's lines. While nothing can be written, lines wait; beyond a limit they are dropped. The process never waits.
 * `pino.destination` is not used: on a full disk, or with a stalled reader, its flush at exit never returns (sonic-boom 4.2).
 */
export class LogSink {
  readonly #descriptor: number;
  readonly #lostLine: (count: number, cause: string) => string;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #cause = "";

  /** @param lostLine Makes the line that reports how many lines were dropped, and why. */
  constructor(descriptor: number, lostLine: (count: number, cause: string) => string) {
    this.#descriptor = descriptor;
    this.#lostLine = lostLine;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    const isBlocked = this.#waitingBytes > 0;
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#lost += 1;
      return;
    }
    this.#append(bytes);
    if (!isBlocked) this.flush();
  }

  /** Writes what can be written now. */
  flush(): void {
    while (this.#waitingBytes > 0) {
      let left = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
      try {
        left = left.subarray(writeSync(this.#descriptor, left));
      } catch (error) {
        this.#cause = error instanceof Error ? error.message : String(error);
        setTimeout(() => this.flush(), RETRY_MS).unref();
        return;
      } finally {
        this.#waiting = left.length === 0 ? [] : [left];
        this.#waitingBytes = left.length;
      }
      if (this.#waitingBytes === 0 && this.#lost > 0) {
        this.#append(Buffer.from(this.#lostLine(this.#lost, this.#cause)));
        this.#lost = 0;
      }
    }
  }

  #append(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }
}

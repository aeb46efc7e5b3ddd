import { mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../shared/clock.ts";
import { FailureReporter } from "../../shared/failure-reporter.ts";
import { fileErrorReason } from "../../shared/files/file-error.ts";
import type { Log } from "../../shared/log.ts";
import type { RecordKey } from "./record-key.ts";
import { Sealer } from "./sealed-file.ts";

/** How long words and audio wait in memory. A crash loses no more. */
const FLUSH_MS = 1_000;
/** Bounds for what waits for a slow or full disk: of one file, and of all. */
const MOST_PENDING_OF_FILE = 8 * 1024 * 1024;
const MOST_PENDING = 128 * 1024 * 1024;
/** Files that wait for a disk that hangs. Calls beyond them have no record. */
const MOST_FILES = 4_000;
/** How long the rest of a call that is over waits for a disk that fails. */
const GRACE_MS = 60_000;

/** A file of a record, to which blocks are added. */
export interface RecordFile {
  /** False when the block was dropped, because too much waits for the disk. */
  add(content: Uint8Array): boolean;
  /** No more is added. */
  end(): void;
  /** Erased or expired: what waits is dropped, and nothing is written any more. */
  abandon(): void;
}

class PendingFile implements RecordFile {
  readonly path: string;
  readonly #sealer: Sealer;
  readonly #account: { bytes: number };
  blocks: Buffer[];
  bytes = 0;
  lost = 0;
  handle: FileHandle | undefined;
  /** Length of the whole blocks in the file. */
  length = 0;
  endedMs: number | undefined;
  isAbandoned = false;
  onEnd: () => void = () => {};

  constructor(path: string, sealer: Sealer, account: { bytes: number }) {
    this.path = path;
    this.#sealer = sealer;
    this.#account = account;
    this.blocks = [sealer.head];
  }

  add(content: Uint8Array): boolean {
    if (this.endedMs !== undefined || this.isAbandoned) return false;
    const isFull =
      this.bytes + content.length > MOST_PENDING_OF_FILE || this.#account.bytes + content.length > MOST_PENDING;
    if (isFull) {
      this.lost += 1;
      return false;
    }
    const block = this.#sealer.seal(content);
    this.blocks.push(block);
    this.bytes += block.length;
    this.#account.bytes += block.length;
    return true;
  }

  end(): void {
    this.onEnd();
  }

  abandon(): void {
    this.isAbandoned = true;
    this.take();
    this.onEnd();
  }

  take(): Buffer[] {
    const taken = this.blocks;
    this.#account.bytes -= this.bytes;
    this.blocks = [];
    this.bytes = 0;
    return taken;
  }

  putBack(blocks: Buffer[]): void {
    if (this.isAbandoned) return;
    this.blocks = [...blocks, ...this.blocks];
    const bytes = blocks.reduce((sum, { length }) => sum + length, 0);
    this.bytes += bytes;
    this.#account.bytes += bytes;
  }
}

/**
 * Writes the records of all calls, one write at a time, so that a disk that hangs holds one thread of the pool and no call. Blocks
 * that a failing disk does not take wait within bounds and are then dropped.
 */
export class RecordWriter {
  readonly #key: RecordKey;
  readonly #clock: Clock;
  readonly #failures: FailureReporter;
  readonly #files = new Set<PendingFile>();
  readonly #account = { bytes: 0 };
  #cancelFlush: (() => void) | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Blocks that were dropped since the start. */
  lostBlocks = 0;

  constructor(key: RecordKey, clock: Clock, log: Log) {
    this.#key = key;
    this.#clock = clock;
    this.#failures = new FailureReporter((error) =>
      log.error({ code: "RECORD_UNWRITABLE", fault: fileErrorReason(error) }, "call records cannot be written now"),
    );
  }

  /** A new file. It is made with the first write. */
  create(path: string, name: string): RecordFile {
    const file = new PendingFile(path, new Sealer(this.#key, name), this.#account);
    if (this.#files.size >= MOST_FILES) {
      file.abandon();
      this.lostBlocks += 1;
      return file;
    }
    file.onEnd = () => {
      file.endedMs ??= this.#clock.nowMs();
      this.#schedule();
    };
    this.#files.add(file);
    this.#schedule();
    return file;
  }

  get pendingBytes(): number {
    return this.#account.bytes;
  }

  /** Writes what waits. Resolves also when the disk fails. */
  flush(): Promise<void> {
    this.#working = this.#working.then(() => this.#writeAll());
    return this.#working;
  }

  /** Writes the rest. A disk that fails gets no second attempt. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelFlush?.();
    for (const file of this.#files) file.endedMs = -Infinity;
    await this.flush();
  }

  #schedule(): void {
    if (this.#cancelFlush !== undefined || this.#isClosed) return;
    this.#cancelFlush = this.#clock.after(FLUSH_MS, () => {
      this.#cancelFlush = undefined;
      void this.flush().then(() => {
        if (this.#files.size > 0) this.#schedule();
      });
    });
  }

  async #writeAll(): Promise<void> {
    for (const file of this.#files) {
      const isWritten = file.isAbandoned || (await this.#write(file));
      const isOver = file.endedMs !== undefined && (isWritten || this.#clock.nowMs() - file.endedMs > GRACE_MS);
      if (!isOver || (isWritten && file.blocks.length > 0)) continue;
      this.#files.delete(file);
      this.lostBlocks += file.lost + (isWritten ? 0 : file.blocks.length);
      file.take();
      await file.handle?.close().catch(() => undefined);
    }
  }

  /** False when the disk did not take it. A block that was written in part is cut off again. */
  async #write(file: PendingFile): Promise<boolean> {
    if (file.blocks.length === 0) return true;
    const blocks = file.take();
    try {
      if (file.handle === undefined) {
        await mkdir(dirname(file.path), { recursive: true, mode: 0o700 });
        file.handle = await open(file.path, "wx", 0o600);
      }
      const bytes = Buffer.concat(blocks);
      let written = 0;
      while (written < bytes.length) {
        const { bytesWritten } = await file.handle.write(bytes, written, bytes.length - written, file.length + written);
        written += bytesWritten;
      }
      await file.handle.datasync();
      file.length += bytes.length;
      this.#failures.succeeded();
      return true;
    } catch (error) {
      file.putBack(blocks);
      await file.handle?.truncate(file.length).catch(() => undefined);
      this.#failures.failed(error, (error as NodeJS.ErrnoException).code);
      return false;
    }
  }
}

import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { OakError } from "../errors.ts";

/** For configuration, keys and certificates. */
export const SMALL_FILE_BYTES = 262_144;

/**
 * Reads a regular file of at most `mostBytes`. Never blocks: a FIFO is refused.
 * @throws OakError `FILE_NOT_REGULAR` or `FILE_TOO_LARGE`; the system's error when it cannot be opened or read.
 */
export function readSmallFile(file: string, mostBytes = SMALL_FILE_BYTES): Buffer {
  const found = statSync(file);
  if (!found.isFile()) throw new OakError("it is not a regular file", { code: "FILE_NOT_REGULAR" });
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const buffer = Buffer.allocUnsafe(
      Math.max(Math.min(mostBytes, found.size), Math.min(mostBytes, SMALL_FILE_BYTES)) + 1,
    );
    let size = 0;
    for (let count = -1; count !== 0 && size < buffer.length; size += count)
      count = readSync(descriptor, buffer, size, buffer.length - size, null);
    if (size === buffer.length) {
      const message = `it is larger than ${String(mostBytes / 1024)} kB`;
      throw new OakError(message, { code: "FILE_TOO_LARGE" });
    }
    return buffer.subarray(0, size);
  } finally {
    closeSync(descriptor);
  }
}

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * Changes a file in place, for a disk that has no room for a second copy: bytes that are there need no new room.
 * Only for a text of the same length that differs in a short stretch, which a reader or a crash can hardly split.
 * @returns False when the file is as it was.
 */
export function overwriteBytes(file: string, text: string, maxBytes: number): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r+");
    const before = readFileSync(descriptor);
    const after = Buffer.from(text);
    if (before.length !== after.length) return false;
    const first = after.findIndex((byte, index) => byte !== before[index]);
    const last = after.findLastIndex((byte, index) => byte !== before[index]);
    const bytes = after.subarray(first, last + 1);
    if (first < 0) return true;
    if (bytes.length > maxBytes) return false;
    if (writeSync(descriptor, bytes, 0, bytes.length, first) < bytes.length) return false;
    fsyncSync(descriptor);
    return true;
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * Changes a file in place, for a disk without room for a second copy. The new text must have the same length and differ in
 * one short stretch, so that a reader or a crash can hardly see half of the change.
 * @returns False when the file was not changed.
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

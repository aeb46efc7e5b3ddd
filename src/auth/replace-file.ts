import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Replaces a file (0600) in one step. A reader sees the old file or the new one. A failed write leaves the old file.
 * @param prepare Called with the open new file before the rename.
 */
export function replaceFile(file: string, text: string, prepare: (descriptor: number) => void): void {
  const temporary = `${file}.tmp`;
  // A killed process may have left this file, or it may be a planted link that root must not follow.
  rmSync(temporary, { force: true });
  try {
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
      prepare(descriptor);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

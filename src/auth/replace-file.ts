import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a file (0600) in one step: a reader sees the old file or the new one, and a write that fails leaves the old one.
 * @param prepare Called with the open new file before it is put in place.
 */
export function replaceFile(file: string, text: string, prepare: (descriptor: number) => void): void {
  const temporary = `${file}.tmp`;
  // A killed process may have left it, or somebody planted a link: root must not write where that leads.
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

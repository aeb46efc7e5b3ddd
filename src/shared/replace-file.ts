import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

export interface ReplaceOptions {
  readonly mode?: number;
  /** Called with the open new file before it is put in place. */
  readonly prepare?: (descriptor: number) => void;
}

/**
 * Writes a file in one step: a reader sees the old file or the new one, and a write that fails leaves the old one alone.
 * A device or a pipe is written to as it is.
 */
export function replaceFile(file: string, data: string | Uint8Array, options: ReplaceOptions = {}): void {
  const { mode = 0o666, prepare } = options;
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  if (!isFile) return writeFileSync(file, data);
  const temporary = `${file}.tmp`;
  // A killed process may have left it, or somebody planted a link: root must not write where that leads.
  rmSync(temporary, { force: true });
  try {
    const descriptor = openSync(temporary, "wx", mode);
    try {
      writeFileSync(descriptor, data);
      prepare?.(descriptor);
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

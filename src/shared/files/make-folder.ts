import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder and its parents. Node's own `recursive` reports "no such file" for a read-only file system. */
export function makeFolder(folder: string, mode = 0o777): void {
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!isThere()) throw error;
  }
}

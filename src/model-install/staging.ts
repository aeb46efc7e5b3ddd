import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OakError } from "../shared/errors.ts";
import { lockFolder } from "../shared/files/folder-lock.ts";
import { makeFolder } from "../shared/files/make-folder.ts";

/** Models are fetched and unpacked here before they are moved to their own folders. */
export const stagingFolder = (dataDir: string): string => join(dataDir, "models", ".staging");

/**
 * Keeps other processes from installing into the same data folder: two of them would append to one file.
 * Does not wait, because the other process may download for hours.
 * @throws OakError `MODELS_LOCKED`.
 */
export function lockStaging(dataDir: string): Disposable {
  const folder = stagingFolder(dataDir);
  makeFolder(folder);
  const lock = lockFolder(folder, 0);
  if (lock !== undefined) return lock;
  const message = `${folder}: another process installs models. Try again when it is done.`;
  throw new OakError(message, { code: "MODELS_LOCKED" });
}

/** Replaces a model's folder. A running server keeps its open files. The next start uses the new ones. */
export async function putInPlace(made: string, folder: string): Promise<void> {
  makeFolder(dirname(folder));
  const old = `${folder}.old`;
  await rm(old, { recursive: true, force: true });
  await rename(folder, old).catch(() => undefined);
  try {
    await rename(made, folder);
  } catch (error) {
    await rename(old, folder).catch(() => undefined);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

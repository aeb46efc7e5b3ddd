import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { modelFolder, modelPath, type CatalogModel } from "../../config/model-catalog.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";
import { isAlive } from "../../shared/is-alive.ts";
import type { RehearsalFile } from "./catalogue-shapes.ts";
import { isRehearsal, markRehearsal } from "../../config/rehearsal-mark.ts";
import { bytesOf, writePieces } from "./write-pieces.ts";

const PREFIX = "rehearsal-";

/** A data directory with the models of a rehearsal. */
export class RehearsalPlace {
  readonly folder: string;
  readonly #isKept: boolean;
  /** The uppermost folder that was made here. */
  readonly #made: string | undefined;

  /** `keep`: a folder that stays. Without one it lies below `dataDir`, where the models of a server would be. */
  constructor(dataDir: string, keep: string | undefined) {
    this.folder = resolve(keep ?? join(dataDir, `${PREFIX}${String(process.pid)}`));
    // Never write among installed models.
    if (keep !== undefined && !isRehearsal(keep) && namesIn(keep).length > 0)
      throw failed(`--keep: ${keep} holds other files; name a new folder, or that of an earlier rehearsal`);
    try {
      if (keep === undefined) removeLeftOvers(dataDir);
      this.#isKept = keep !== undefined;
      this.#made = mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      markRehearsal(this.folder);
    } catch (cause) {
      throw failed(`The rehearsal cannot write to ${this.folder}: ${errorMessage(cause)}`, cause);
    }
  }

  path(model: CatalogModel): string {
    return modelPath(model, this.folder);
  }

  isWritten(model: CatalogModel, file: RehearsalFile): boolean {
    const size = statSync(this.#fileOf(model, file), { throwIfNoEntry: false })?.size;
    return size === bytesOf(file.pieces) && existsSync(this.#manifestOf(model));
  }

  async write(
    model: CatalogModel,
    file: RehearsalFile,
    signal: AbortSignal,
    onProgress: (bytes: number) => void,
  ): Promise<void> {
    if (this.isWritten(model, file)) return;
    const path = this.#fileOf(model, file);
    mkdirSync(dirname(path), { recursive: true });
    try {
      for (const other of file.inFolder?.beside ?? []) copyFileSync(other, join(dirname(path), basename(other)));
      await writePieces(path, file.pieces, signal, onProgress);
      // The server takes a folder with a manifest for installed. This one names no file, so that `models verify` refuses it.
      writeFileSync(this.#manifestOf(model), '{ "id": "rehearsal", "source_sha256": "", "files": [] }\n');
    } catch (cause) {
      rmSync(modelFolder(model, this.folder), { recursive: true, force: true });
      signal.throwIfAborted();
      throw failed(`${path} cannot be written: ${errorMessage(cause)}`, cause);
    }
  }

  /** Where nothing is kept. */
  discard(model: CatalogModel): void {
    if (!this.#isKept) rmSync(modelFolder(model, this.folder), { recursive: true, force: true });
  }

  #manifestOf(model: CatalogModel): string {
    return join(modelFolder(model, this.folder), "manifest.json");
  }

  #fileOf(model: CatalogModel, { inFolder }: RehearsalFile): string {
    return inFolder === undefined ? this.path(model) : join(this.path(model), inFolder.name);
  }

  [Symbol.dispose](): void {
    // The mark alone is not worth keeping.
    const goes = !this.#isKept || (this.#made !== undefined && namesIn(this.folder).length === 1);
    if (goes) rmSync(this.#made ?? this.folder, { recursive: true, force: true });
  }
}

/** Folders of rehearsals that were killed. */
function removeLeftOvers(dataDir: string): void {
  for (const name of namesIn(dataDir)) {
    const [, pid] = /^rehearsal-(\d+)$/u.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

const failed = (message: string, cause?: unknown): OakError =>
  new OakError(message, { code: "REHEARSAL_FAILED", cause });

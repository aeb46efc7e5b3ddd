import { existsSync } from "node:fs";
import { copyFile, lstat, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { modelFolder, type CatalogModel, type DownloadedModel } from "../config/model-catalog.ts";
import { OakError } from "../shared/errors.ts";
import { makeFolder } from "../shared/files/make-folder.ts";
import { downloadFile, sha256Of } from "./download.ts";
import { installState, writeManifest } from "./installed.ts";
import { lockStaging, putInPlace, stagingFolder } from "./staging.ts";
import { unpackTar } from "./tar.ts";

export interface InstallOptions {
  readonly dataDir: string;
  /** A mirror or a local folder that has the files by name. Undefined for the catalogue's own sources. */
  readonly source: { readonly mirror: string } | { readonly folder: string } | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (model: DownloadedModel, bytes: number, total: number | undefined) => void;
}

const AT_ONCE = 3;
/** Sizes in the catalogue are rounded. */
const SIZE_TOLERANCE = 1.15;

/**
 * Installs the missing models, three at a time. A model's folder appears only when it is complete.
 * @throws OakError `DISK_FULL`, `MODELS_LOCKED`, `DOWNLOAD_FAILED`, `CHECKSUM_WRONG`, `MODEL_MISSING`, `UNPACK_FAILED`.
 */
export async function installModels(models: readonly CatalogModel[], options: InstallOptions): Promise<void> {
  const wanted = models.filter(
    (model): model is DownloadedModel => !model.shipped && installState(model, options.dataDir) !== "installed",
  );
  if (wanted.length === 0) return;
  using _ = lockStaging(options.dataDir);
  await checkDisk(wanted, options.dataDir);
  const waiting = [...wanted];
  const line = async () => {
    for (let model = waiting.shift(); model !== undefined; model = waiting.shift()) await installOne(model, options);
  };
  const lines = await Promise.allSettled(Array.from({ length: AT_ONCE }, line));
  for (const outcome of lines) if (outcome.status === "rejected") throw outcome.reason;
}

async function installOne(model: DownloadedModel, options: InstallOptions): Promise<void> {
  const staging = join(stagingFolder(options.dataDir), model.id);
  const file = join(staging, fileName(model));
  await fetchInto(model, file, options);
  const made = join(staging, "made");
  try {
    await unpackInto(made, model, file);
    await writeManifest(made, model.id, model.sha256);
    await putInPlace(made, modelFolder(model, options.dataDir));
  } catch (error) {
    // Keep the download for the next try.
    if (model.unpack === "none") await rename(join(made, model.path), file).catch(() => undefined);
    await rm(made, { recursive: true, force: true });
    throw error;
  }
  await rm(staging, { recursive: true, force: true });
}

async function unpackInto(made: string, model: DownloadedModel, file: string): Promise<void> {
  await rm(made, { recursive: true, force: true });
  makeFolder(made);
  if (model.unpack === "none") await rename(file, join(made, model.path));
  else await unpackTar({ folder: made, archive: file }, "-j");
  if ((await stat(join(made, model.path)).catch(() => undefined)) === undefined)
    throw new OakError(`${fileName(model)} does not hold ${model.path}.`, { code: "UNPACK_FAILED" });
}

async function fetchInto(model: DownloadedModel, file: string, options: InstallOptions): Promise<void> {
  const { source, signal, onProgress } = options;
  // An earlier try may have failed after the download.
  if (existsSync(file) && (await sha256Of(file, signal)) === model.sha256) return;
  if (source !== undefined && "folder" in source) {
    const from = join(source.folder, fileName(model));
    makeFolder(dirname(file));
    const copy = `${file}.copy`;
    await copyFile(from, copy).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") throw cause;
      throw new OakError(`${source.folder} does not hold ${fileName(model)}.`, { code: "MODEL_MISSING", cause });
    });
    const found = await sha256Of(copy, signal);
    if (found !== model.sha256) {
      await rm(copy);
      throw new OakError(`${from} is not the file of the catalogue: its sha256 is ${found}, not ${model.sha256}.`, {
        code: "CHECKSUM_WRONG",
      });
    }
    return rename(copy, file);
  }
  const url = source === undefined ? model.source : new URL(fileName(model), withSlash(source.mirror)).href;
  return downloadFile({
    url,
    target: file,
    sha256: model.sha256,
    maxBytes: model.size_mb * 1e6 * SIZE_TOLERANCE + 1e6,
    signal,
    onProgress: (bytes, total) => onProgress(model, bytes, total),
  });
}

/** Counts an archive and its unpacked files together. Files of an earlier try need no new room. */
async function checkDisk(models: readonly DownloadedModel[], dataDir: string): Promise<void> {
  let neededMb = 0;
  for (const { id, size_mb, unpack } of models) {
    const allMb = size_mb * (unpack === "none" ? 1 : 3) * SIZE_TOLERANCE;
    neededMb += Math.max(0, allMb - (await folderBytes(join(stagingFolder(dataDir), id))) / 1e6);
  }
  const { bavail, bsize } = await statfs(join(dataDir, "models"));
  const freeMb = (bavail * bsize) / 1e6;
  if (freeMb < neededMb) {
    throw new OakError(
      `${dataDir} has ${freeMb.toFixed(0)} MB free, and the models need ${neededMb.toFixed(0)} MB more. Make room, or set data_dir.`,
      { code: "DISK_FULL" },
    );
  }
}

async function folderBytes(folder: string): Promise<number> {
  const paths = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(paths.map(async (path) => (await lstat(join(folder, path))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const fileName = (model: DownloadedModel): string => basename(new URL(model.source).pathname);

const withSlash = (mirror: string): string => (mirror.endsWith("/") ? mirror : `${mirror}/`);

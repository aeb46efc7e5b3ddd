import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, lstat, mkdir, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { modelFolder, type CatalogModel, type DownloadedModel } from "../config/model-catalog.ts";
import { childEnvironment } from "../shared/child-environment.ts";
import { OakError } from "../shared/errors.ts";
import { downloadFile, sha256Of } from "./download.ts";
import { lockStaging } from "./install-lock.ts";
import { installState, verifyFolder, writeManifest } from "./installed.ts";

export interface InstallOptions {
  readonly dataDir: string;
  /** Where files come from: the catalogue's sources, a mirror that has them by file name, or a local folder. */
  readonly source: { readonly mirror: string } | { readonly folder: string } | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (model: DownloadedModel, bytes: number, total: number | undefined) => void;
}

const AT_ONCE = 3;
/** Sizes in the catalogue are rounded. */
const SIZE_TOLERANCE = 1.15;

/**
 * Installs what is not there yet, a few models at a time; each appears whole or not at all.
 * @throws OakError `DISK_FULL`, `MODELS_LOCKED`, `DOWNLOAD_FAILED`, `CHECKSUM_WRONG`, `MODEL_MISSING`, `UNPACK_FAILED`.
 */
export async function installModels(models: readonly CatalogModel[], options: InstallOptions): Promise<void> {
  const wanted = models.filter(
    (model): model is DownloadedModel => !model.shipped && installState(model, options.dataDir) !== "installed",
  );
  if (wanted.length === 0) return;
  using _ = lockStaging(stagingFolder(options.dataDir));
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
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  if (model.unpack === "none") await rename(file, join(made, model.path));
  else
    await runTar(
      ["-xjf", file, "--no-same-owner", "--no-same-permissions", "-C", made],
      `${fileName(model)} cannot be unpacked`,
    );
  if ((await stat(join(made, model.path)).catch(() => undefined)) === undefined)
    throw new OakError(`${fileName(model)} does not hold ${model.path}.`, { code: "UNPACK_FAILED" });
  await writeManifest(made, model.id, model.sha256);
  await putInPlace(made, modelFolder(model, options.dataDir));
  await rm(staging, { recursive: true, force: true });
}

async function fetchInto(model: DownloadedModel, file: string, options: InstallOptions): Promise<void> {
  const { source, signal, onProgress } = options;
  // An earlier try had it whole, and failed at what comes after.
  if (existsSync(file) && (await sha256Of(file, signal)) === model.sha256) return;
  if (source !== undefined && "folder" in source) {
    const from = join(source.folder, fileName(model));
    if ((await stat(from).catch(() => undefined)) === undefined)
      throw new OakError(`${source.folder} does not hold ${fileName(model)}.`, { code: "MODEL_MISSING" });
    await mkdir(dirname(file), { recursive: true });
    const copy = `${file}.copy`;
    await copyFile(from, copy);
    const found = await sha256Of(copy, signal);
    if (found !== model.sha256) {
      await rm(copy);
      throw new OakError(`${from} is not the file the catalogue names: sha256 ${found}, not ${model.sha256}.`, {
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

/** One tar file with the installed models of a list, for a machine without a network. @throws OakError `MODEL_MISSING`, `NOTHING_TO_BUNDLE`. */
export async function bundleModels(models: readonly CatalogModel[], dataDir: string, out: string): Promise<void> {
  const wanted = models.filter((model) => !model.shipped);
  if (wanted.length === 0)
    throw new OakError("These models ship with the program: there is nothing to bundle.", {
      code: "NOTHING_TO_BUNDLE",
    });
  const missing = wanted.filter((model) => installState(model, dataDir) !== "installed").map(({ id }) => id);
  if (missing.length > 0) {
    throw new OakError(`Install ${missing.join(", ")} first: a bundle holds what is installed here.`, {
      code: "MODEL_MISSING",
    });
  }
  const part = `${out}.part`;
  await runTar(["-cf", part, "-C", join(dataDir, "models"), ...wanted.map(({ id }) => id)], `${out} cannot be written`);
  await rename(part, out);
}

/** Installs from a bundle, checking every file against its manifest. @throws OakError `MODELS_LOCKED`, `UNPACK_FAILED`, `CHECKSUM_WRONG`. */
export async function installBundle(
  bundle: string,
  models: readonly CatalogModel[],
  dataDir: string,
): Promise<readonly string[]> {
  using _ = lockStaging(stagingFolder(dataDir));
  const staging = join(stagingFolder(dataDir), "bundle");
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  try {
    await runTar(
      ["-xf", bundle, "--no-same-owner", "--no-same-permissions", "-C", staging],
      `${bundle} cannot be unpacked`,
    );
    const installed: string[] = [];
    for (const model of models) {
      const folder = join(staging, model.id);
      if (model.shipped || (await lstat(folder).catch(() => undefined)) === undefined) continue;
      const faults = await verifyFolder(folder, model);
      if (faults.length > 0)
        throw new OakError(`${bundle}: ${model.id}: ${faults.join("; ")}.`, { code: "CHECKSUM_WRONG" });
      await putInPlace(folder, modelFolder(model, dataDir));
      installed.push(model.id);
    }
    if (installed.length === 0)
      throw new OakError(`${bundle} holds no model of the catalogue.`, { code: "UNPACK_FAILED" });
    return installed;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** A running server keeps the files it has open; the next start finds the new ones. */
async function putInPlace(made: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const old = `${folder}.old`;
  await rm(old, { recursive: true, force: true });
  await rename(folder, old).catch(() => undefined);
  await rename(made, folder);
  await rm(old, { recursive: true, force: true });
}

/** An archive and what is unpacked from it lie side by side for a moment; what an earlier try left behind is there already. */
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

function runTar(args: readonly string[], fault: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new OakError(`${fault}: ${why}.`, { code: "UNPACK_FAILED" }));
    const child = spawn("tar", args, { stdio: ["ignore", "ignore", "pipe"], env: childEnvironment() });
    let said = "";
    child.stderr.on("data", (data: Buffer) => (said = `${said}${data.toString()}`.slice(-500)));
    child.once("error", () => fail("tar cannot be started; install tar and bzip2"));
    child.once("close", (code) =>
      code === 0 ? resolve() : fail(said.trim().split("\n")[0] ?? `tar ended with ${String(code)}`),
    );
  });
}

const stagingFolder = (dataDir: string): string => join(dataDir, "models", ".staging");

const fileName = (model: DownloadedModel): string => basename(new URL(model.source).pathname);

const withSlash = (mirror: string): string => (mirror.endsWith("/") ? mirror : `${mirror}/`);

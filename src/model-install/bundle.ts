import { lstat, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { modelFolder, type CatalogModel } from "../config/model-catalog.ts";
import { OakError } from "../shared/errors.ts";
import { makeFolder } from "../shared/files/make-folder.ts";
import { installState, verifyFolder } from "./installed.ts";
import { lockStaging, putInPlace, stagingFolder } from "./staging.ts";
import { packTar, unpackTar } from "./tar.ts";

const MAX_FAULTS_SHOWN = 3;

/**
 * Writes installed models into one tar file, for a machine without a network.
 * @throws OakError `MODEL_MISSING`, `NOTHING_TO_BUNDLE`, `UNPACK_FAILED`.
 */
export async function bundleModels(models: readonly CatalogModel[], dataDir: string, out: string): Promise<void> {
  const wanted = models.filter((model) => !model.shipped);
  if (wanted.length === 0)
    throw new OakError("These models ship with the program: there is nothing to bundle.", {
      code: "NOTHING_TO_BUNDLE",
    });
  const missing = wanted.filter((model) => installState(model, dataDir) !== "installed").map(({ id }) => id);
  if (missing.length > 0) {
    throw new OakError(`Install ${missing.join(", ")} first: a bundle contains only installed models.`, {
      code: "MODEL_MISSING",
    });
  }
  const before = await stat(out).catch(() => undefined);
  if (before?.isFile() === false) throw new OakError(`${out} is not a file. Name another one.`, { code: "USAGE" });
  const part = `${out}.part`;
  try {
    await packTar(
      { folder: join(dataDir, "models"), archive: part },
      wanted.map(({ id }) => id),
    );
    await rename(part, out);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Installs models from a bundle and checks every file against its manifest.
 * @throws OakError `MODELS_LOCKED`, `UNPACK_FAILED`, `CHECKSUM_WRONG`.
 */
export async function installBundle(
  bundle: string,
  models: readonly CatalogModel[],
  dataDir: string,
): Promise<readonly string[]> {
  using _ = lockStaging(dataDir);
  const staging = join(stagingFolder(dataDir), "bundle");
  await rm(staging, { recursive: true, force: true });
  makeFolder(staging);
  try {
    await unpackTar({ folder: staging, archive: bundle });
    const installed: string[] = [];
    for (const model of models) {
      const folder = join(staging, model.id);
      if (model.shipped || (await lstat(folder).catch(() => undefined)) === undefined) continue;
      const faults = await verifyFolder(folder, model);
      if (faults.length > 0) throw refused(bundle, model.id, faults);
      await putInPlace(folder, modelFolder(model, dataDir));
      installed.push(model.id);
    }
    if (installed.length === 0) {
      const wanted = models.map(({ id }) => id).join(", ");
      throw new OakError(`${bundle} holds none of these models: ${wanted}.`, { code: "UNPACK_FAILED" });
    }
    return installed;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function refused(bundle: string, id: string, faults: readonly string[]): OakError {
  const more = faults.length - MAX_FAULTS_SHOWN;
  const shown = [...faults.slice(0, MAX_FAULTS_SHOWN), ...(more > 0 ? [`${String(more)} more`] : [])].join("; ");
  return new OakError(`${bundle}: ${id} is refused: ${shown}. Copy or make the bundle again.`, {
    code: "CHECKSUM_WRONG",
  });
}

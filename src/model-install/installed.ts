import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { lstat, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import {
  modelFolder,
  modelPath,
  type CatalogModel,
  type DownloadedModel,
  type Profile,
} from "../config/model-catalog.ts";
import { OakError } from "../shared/errors.ts";
import { asFileError } from "../shared/files/file-error.ts";
import { printable } from "../shared/printable.ts";
import { sha256Of } from "./download.ts";
import { verifyShipped } from "./shipped.ts";

/** Written last into a model's folder, so a folder that has it is complete. */
const MANIFEST = "manifest.json";

const manifestSchema = z.strictObject({
  id: z.string(),
  /** Checksum of the downloaded file, before unpacking. */
  source_sha256: z.string(),
  files: z.array(z.strictObject({ path: z.string(), bytes: z.int(), sha256: z.string() })),
});

/** "incomplete": a file is missing, or its size has changed since the installation. */
export type InstallState = "ships" | "installed" | "missing" | "incomplete" | "unreadable";

/** Compares names and sizes only. `verifyModel` reads the files. */
export function installState(model: CatalogModel, dataDir: string): InstallState {
  try {
    return readState(model, dataDir);
  } catch {
    return "unreadable";
  }
}

/** @throws The error of the file system when the folder cannot be read. */
function readState(model: CatalogModel, dataDir: string): InstallState {
  const [folder, path] = [modelFolder(model, dataDir), modelPath(model, dataDir)];
  if (!isThere(model.shipped ? path : folder)) return "missing";
  if (!model.shipped && !(isThere(path) && hasAllBytes(folder))) return "incomplete";
  accessSync(path, constants.R_OK);
  return model.shipped ? "ships" : "installed";
}

function hasAllBytes(folder: string): boolean {
  const file = join(folder, MANIFEST);
  const manifest = isThere(file) ? parseManifest(readFileSync(file, "utf8")) : undefined;
  const sizeOf = (path: string) => statSync(join(folder, path), { throwIfNoEntry: false })?.size;
  return manifest?.files.every(({ path, bytes }) => sizeOf(path) === bytes) ?? false;
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** @throws OakError `MODEL_MISSING` or `MODEL_UNREADABLE`, with a remedy. */
export function requireInstalled(models: readonly CatalogModel[], profile: Profile, dataDir: string): void {
  const inState = (...states: InstallState[]) =>
    models.filter((model) => states.includes(installState(model, dataDir)));
  for (const model of inState("unreadable")) requireReadable(model, dataDir);
  const missing = inState("missing", "incomplete");
  if (missing.length === 0) return;
  const remedy = missing.every(({ shipped }) => shipped)
    ? "They are part of the program: install it again, or in a checkout git restore models"
    : `Run: oakvoice models install --profile ${profile}`;
  const incomplete = inState("incomplete").map(({ id }) => id);
  const damaged = incomplete.length === 0 ? "" : ` Damaged: ${incomplete.join(", ")}.`;
  throw new OakError(`Not installed: ${missing.map(({ id }) => id).join(", ")}.${damaged} ${remedy}`, {
    code: "MODEL_MISSING",
  });
}

function requireReadable(model: CatalogModel, dataDir: string): void {
  try {
    readState(model, dataDir);
  } catch (error) {
    throw asFileError(error, "MODEL_UNREADABLE", modelFolder(model, dataDir));
  }
}

/** Lists every file of a folder with its size and hash, which marks the folder as complete. */
export async function writeManifest(folder: string, id: string, sourceSha256: string): Promise<void> {
  const files = [];
  for (const path of await filesIn(folder))
    files.push({ path, bytes: (await stat(join(folder, path))).size, sha256: await sha256Of(join(folder, path)) });
  const manifest = { id, source_sha256: sourceSha256, files } satisfies z.input<typeof manifestSchema>;
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
}

/**
 * Faults of an installed model's files, one line each. Empty when no byte has changed, undefined when there are no checksums
 * to compare with.
 */
export async function verifyModel(model: CatalogModel, dataDir: string): Promise<readonly string[] | undefined> {
  const state = installState(model, dataDir);
  if (model.shipped) return state === "ships" ? verifyShipped(modelPath(model, dataDir)) : [`${model.path} is missing`];
  if (state === "missing" || state === "unreadable") return [`${model.id} is ${state}`];
  return verifyFolder(modelFolder(model, dataDir), model);
}

/** The same for a folder from an unknown source, so it reads only plain files inside that folder. */
export async function verifyFolder(
  folder: string,
  { id, path: main, sha256: source, unpack }: DownloadedModel,
): Promise<readonly string[]> {
  const strange = await strangeIn(folder);
  if (strange.length > 0) return strange.map((path) => `${printable(path) || id} is not a plain file or folder`);
  const manifest = parseManifest(await readFile(join(folder, MANIFEST), "utf8").catch(() => ""));
  if (manifest?.id !== id) return [`${MANIFEST} is not the one of ${id}`];
  // A file that was not unpacked must have the catalogue's checksum: the manifest could be forged.
  const isPinned =
    manifest.source_sha256 === source &&
    (unpack !== "none" || manifest.files.some(({ path, sha256 }) => path === main && sha256 === source));
  const faults = isPinned ? [] : ["it was made from another file than the catalogue names"];
  const there = new Set(await filesIn(folder));
  for (const { path, bytes, sha256 } of manifest.files) {
    const file = join(folder, path);
    const size = there.has(path) ? (await stat(file)).size : undefined;
    const name = printable(path);
    if (size === undefined) faults.push(`${name} is missing`);
    else if (size !== bytes) faults.push(`${name} has ${String(size)} bytes, not ${String(bytes)}`);
    else if ((await sha256Of(file)) !== sha256) faults.push(`${name} has changed`);
  }
  const known = new Set([MANIFEST, ...manifest.files.map(({ path }) => path)]);
  for (const path of there) if (!known.has(path)) faults.push(`${printable(path)} does not belong there`);
  return faults;
}

/** Pipes, devices, broken links and links that lead out of the folder. They are refused before anything is read. */
async function strangeIn(folder: string): Promise<readonly string[]> {
  if (!(await lstat(folder)).isDirectory()) return [""];
  const home = await realpath(folder);
  const strange = [];
  for (const path of await filesIn(folder)) {
    const real = await realpath(join(folder, path)).catch(() => "");
    if (!real.startsWith(`${home}${sep}`) || !(await stat(real)).isFile()) strange.push(path);
  }
  return strange;
}

/** @throws OakError `MODEL_SHIPPED` for a model that is part of the package. */
export async function removeModel(model: CatalogModel, dataDir: string): Promise<void> {
  if (model.shipped) throw new OakError(`${model.id} is part of the package and stays.`, { code: "MODEL_SHIPPED" });
  await rm(modelFolder(model, dataDir), { recursive: true, force: true });
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted((a, b) => a.localeCompare(b));
}

/** Undefined when the text is not a manifest. */
function parseManifest(text: string): z.output<typeof manifestSchema> | undefined {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

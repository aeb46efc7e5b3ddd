import { statSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { loadModelCatalog, modelPath, PROFILES, type CatalogModel, type Profile } from "../config/model-catalog.ts";
import { OakError } from "../shared/errors.ts";
import { asFileError } from "../shared/files/file-error.ts";
import { parseOptions, usageError } from "../shared/options.ts";
import { printable } from "../shared/printable.ts";
import { textTable } from "../shared/text-table.ts";
import { bundleModels, installBundle } from "../model-install/bundle.ts";
import { installModels, type InstallOptions } from "../model-install/install.ts";
import { installState, removeModel, verifyModel } from "../model-install/installed.ts";
import { ProgressLines } from "../model-install/progress.ts";

export const MODELS_USAGE = `oakvoice models list [--profile starter|cpu|cpu-large|gpu|gpu-large]
oakvoice models install [ID...] [--profile P] [--accept-licences] [--mirror URL | --from FOLDER_OR_BUNDLE]
oakvoice models verify [ID...]
oakvoice models remove ID...
oakvoice models bundle OUT.tar [--profile P]`;

export interface ModelsContext {
  readonly dataDir: string;
  /** Used when the command names no profile. */
  readonly profile: Profile;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/**
 * `oakvoice models ...`.
 * @param args The arguments after `models`.
 * @throws OakError `USAGE`, `MODEL_UNKNOWN`, `LICENCE_NOT_ACCEPTED`, `MODEL_DAMAGED`, and the errors of `installModels`.
 */
export async function modelsCommand(args: readonly string[], context: ModelsContext): Promise<void> {
  try {
    await runCommand(args, context);
  } catch (error) {
    throw asFileError(error, "FILE_FAILED", context.dataDir);
  }
}

async function runCommand(args: readonly string[], context: ModelsContext): Promise<void> {
  const { action, names, profile, options } = readArguments(args);
  const catalog = loadModelCatalog().models;
  // The argument of `bundle` is a file to write, not a model.
  const isNamed = names.length > 0 && action !== "bundle";
  const chosen = isNamed ? names.map((id) => named(catalog, id)) : ofProfile(catalog, profile ?? context.profile);
  const { dataDir, print } = context;
  switch (action) {
    case "list":
      return print(table(profile === undefined ? catalog : ofProfile(catalog, profile), dataDir));
    case "install":
      return install(chosen, options, context);
    case "verify": {
      const installed = catalog.filter((model) => installState(model, dataDir) !== "missing");
      return verify(isNamed ? chosen : installed, context);
    }
    case "remove":
      if (names.length === 0) throw usageError("models", "Name the models to remove");
      for (const model of chosen) await removeModel(model, dataDir);
      return print(`removed: ${names.join(", ")}`);
    case "bundle": {
      const [out, ...more] = names;
      if (out === undefined || more.length > 0) throw usageError("models", "Name one file for the bundle");
      await bundleModels(chosen, dataDir, out);
      const name = printable(out);
      return print(`${name}: install it with "oakvoice models install --from ${name}"`);
    }
  }
}

async function install(models: readonly CatalogModel[], options: Options, context: ModelsContext): Promise<void> {
  const { dataDir, signal, print } = context;
  const isBundle = options.from !== undefined && isFile(options.from);
  const missing = models.filter((model) => !model.shipped && installState(model, dataDir) !== "installed");
  if (missing.length === 0) return print("everything is installed");
  for (const { id, size_mb, licence, note } of missing)
    print(`${id}: ${String(size_mb)} MB, licence ${licence}${note === undefined ? "" : `. ${note}`}`);
  await acceptLicences(options.acceptLicences);
  if (isBundle) {
    const installed = await installBundle(options.from, models, dataDir);
    return print(`installed: ${installed.join(", ")}`);
  }
  const lines = new ProgressLines(process.stderr);
  await installModels(missing, {
    dataDir,
    source: sourceOf(options),
    signal,
    onProgress: ({ id, size_mb }, bytes, total) => lines.update(id, bytes, total ?? size_mb * 1e6),
  });
  lines.end();
  print(`installed: ${missing.map(({ id }) => id).join(", ")}`);
  // The configuration must name these models, because no profile uses them.
  for (const model of missing)
    if (model.profiles.length === 0)
      print(`models.${model.role}.${model.role === "tts" ? "dir" : "path"}: ${modelPath(model, dataDir)}`);
}

/** @throws OakError `MODEL_MISSING` when the path is not a file or a folder. */
function isFile(from: string): boolean {
  const found = statSync(from, { throwIfNoEntry: false });
  if (found?.isFile() === true || found?.isDirectory() === true) return found.isFile();
  throw new OakError(
    `--from ${from}: ${found === undefined ? "it does not exist" : "it is not a plain file or folder"}.`,
    {
      code: "MODEL_MISSING",
    },
  );
}

function sourceOf({ from, mirror }: Options): InstallOptions["source"] {
  if (from !== undefined) return { folder: from };
  return mirror === undefined ? undefined : { mirror };
}

async function acceptLicences(accepted: boolean): Promise<void> {
  if (accepted) return;
  const refusal = new OakError("Read the licences above; --accept-licences accepts them.", {
    code: "LICENCE_NOT_ACCEPTED",
  });
  if (!process.stdin.isTTY) throw refusal;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question("Accept these licences? (yes/no) ");
  terminal.close();
  if (!/^y(es)?$/iu.test(answer.trim())) throw refusal;
}

const NOT_COMPARED =
  "present, not compared: a checkout has no list of checksums, only an installation has (see git status, npm ci)";

async function verify(models: readonly CatalogModel[], { dataDir, print }: ModelsContext): Promise<void> {
  let damaged = 0;
  for (const model of models) {
    const faults = await verifyModel(model, dataDir);
    const state = faults === undefined ? NOT_COMPARED : faults.length === 0 ? "whole" : faults.join("; ");
    print(`${model.id}: ${state}`);
    damaged += faults === undefined || faults.length === 0 ? 0 : 1;
  }
  if (damaged > 0) {
    throw new OakError(
      `${String(damaged)} of ${String(models.length)} models are damaged: remove and install them again, those that ship with scripts/install.sh.`,
      { code: "MODEL_DAMAGED" },
    );
  }
}

function table(models: readonly CatalogModel[], dataDir: string): string {
  const rows = models.map((model) => [
    model.id,
    model.role,
    model.profiles.join(" "),
    `${String(model.size_mb)} MB`,
    model.licence,
    installState(model, dataDir),
  ]);
  return textTable([["model", "role", "profiles", "size", "licence", "state"], ...rows]);
}

interface Options {
  readonly acceptLicences: boolean;
  readonly mirror: string | undefined;
  readonly from: string | undefined;
}

const ACTIONS = ["list", "install", "verify", "remove", "bundle"] as const;

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseOptions("models", args, {
    profile: { type: "string" },
    "accept-licences": { type: "boolean", default: false },
    mirror: { type: "string" },
    from: { type: "string" },
  });
  const [first, ...names] = positionals;
  const action = ACTIONS.find((name) => name === first);
  if (action === undefined) throw usageError("models", `Say ${ACTIONS.join(", ")}`);
  const profile = PROFILES.find((name) => name === values.profile);
  if (values.profile !== undefined && profile === undefined)
    throw usageError("models", `--profile ${values.profile}: say ${PROFILES.join(", ")}`);
  const { mirror, from } = values;
  if ([from, ...names].some((text) => text?.trim() === "")) throw usageError("models", "An argument is empty");
  if (mirror !== undefined && !(/^https?:/u.test(mirror) && URL.canParse(mirror)))
    throw usageError("models", `--mirror ${mirror}: not a URL`);
  if (mirror !== undefined && from !== undefined) throw usageError("models", "Give --mirror or --from, not both");
  const options = { acceptLicences: values["accept-licences"], mirror, from };
  return { action, names: names as readonly string[], profile, options };
}

function named(catalog: readonly CatalogModel[], id: string): CatalogModel {
  const model = catalog.find((candidate) => candidate.id === id);
  if (model !== undefined) return model;
  throw new OakError(`The catalogue has no model "${printable(id)}": see oakvoice models list.`, {
    code: "MODEL_UNKNOWN",
  });
}

const ofProfile = (catalog: readonly CatalogModel[], profile: Profile): readonly CatalogModel[] =>
  catalog.filter(({ profiles }) => profiles.includes(profile));

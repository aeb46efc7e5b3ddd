import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds package.json: where shipped models and the catalogue live, run from source or built. */
export const packageRoot: string = findUp(dirname(fileURLToPath(import.meta.url)));

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  return version;
}

function findUp(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("package.json was not found above the program's own files.");
  return findUp(parent);
}

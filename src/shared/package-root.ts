import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of package.json, of shipped models and of the catalogue. The same for source and build. */
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

import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { packageRoot } from "../shared/package-root.ts";
import { sha256Of } from "./download.ts";

/** The installer writes it into the program's folder, in the format of sha256sum. */
const SUMS = "SHA256SUMS";

/**
 * Faults of a shipped model, one line a file, by the checksums that the installer listed. Undefined in a git checkout, which
 * has no such list.
 */
export async function verifyShipped(path: string, root: string = packageRoot): Promise<readonly string[] | undefined> {
  const list = await readFile(join(root, SUMS), "utf8").catch(() => undefined);
  if (list === undefined) return undefined;
  const faults: string[] = [];
  const name = relative(root, path);
  for (const [, sum, file = ""] of list.matchAll(/^(?<sum>[0-9a-f]{64})  \.\/(?<file>.+)$/gmu)) {
    if (file !== name && !file.startsWith(`${name}/`)) continue;
    const now = await sha256Of(join(root, file)).catch(() => undefined);
    if (now !== sum) faults.push(`${file} ${now === undefined ? "is missing" : "has changed"}`);
  }
  return faults;
}

import { statSync } from "node:fs";
import { printable } from "../printable.ts";

const GROUP_READS = 0o040;

/** A line when other users can read the secret file or change the file, and none otherwise. */
export function fileExposure(file: string, isSecret: boolean): string[] {
  const stat = statOf(file);
  if (stat === undefined) return [];
  // When the server does not own the file, it may read the file through its group. The installer sets that up.
  const isGroups = stat.uid !== process.geteuid?.() || (stat.uid === 0 && stat.gid !== 0);
  const exposed = stat.mode & (isSecret ? 0o066 : 0o022) & (isGroups ? ~GROUP_READS : -1);
  if (exposed === 0) return [];
  const can = (exposed & 0o022) === 0 ? "read" : "change";
  const mode = (stat.mode & 0o777).toString(8).padStart(4, "0");
  const right = isSecret ? (isGroups ? "640" : "600") : "644";
  return [`${printable(file)}: other users can ${can} it (mode ${mode}). Run: chmod ${right} ${printable(file)}`];
}

/** Undefined when the file is not there or not a file. */
function statOf(file: string) {
  try {
    const stat = statSync(file);
    return stat.isFile() ? stat : undefined;
  } catch {
    return undefined;
  }
}

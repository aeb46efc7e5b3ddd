import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const APART = ["--map-root-user", "--mount"];

export const canMount = spawnSync("unshare", [...APART, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
if (!canMount) process.stderr.write("a full disk: SKIPPED, unshare or the right to mount is missing\n");

const PRELUDE = `mount -t tmpfs -o size=64k none "$DISK"
oakvoice() { "$NODE" --import tsx "$MAIN" "$@" 2>&1; echo "exit $?"; }
fill() { cat /dev/zero >"$DISK/filler" 2>/dev/null; true; }
free() { rm "$DISK/filler"; }
`;

/** Runs a bash script on a disk of 64 kB at $DISK, which is the data folder of its `oakvoice`. Returns what it prints. */
export function onSmallDisk(script: string, env: NodeJS.ProcessEnv = {}): string {
  const disk = mkdtempSync(join(tmpdir(), "oakvoice-disk-"));
  try {
    const { stdout, stderr } = spawnSync("unshare", [...APART, "bash", "-c", PRELUDE + script], {
      env: { ...process.env, DISK: disk, NODE: process.execPath, MAIN, OAKVOICE_DATA_DIR: disk, ...env },
      encoding: "utf8",
    });
    return stdout + stderr;
  } finally {
    rmSync(disk, { recursive: true, force: true });
  }
}

import { spawnSync } from "node:child_process";
import { it } from "vitest";
import { FAULTS, runFault } from "../../bench/hostile/faults.ts";

const canMount =
  spawnSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
if (!canMount) process.stderr.write("a full disk: SKIPPED, unshare or the right to mount is missing\n");

it.concurrent.each(FAULTS.filter(({ quick }) => quick))("$name", async (fault) => {
  if (fault.server?.wrapper?.[0] !== "unshare" || canMount) await runFault(fault);
});

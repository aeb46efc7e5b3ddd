import { spawnSync } from "node:child_process";
import { beforeAll, expect, it } from "vitest";
import { FAULTS, runFault } from "../../bench/hostile/faults.ts";
import { packageRoot } from "../../src/config/package-root.ts";

const canMount =
  spawnSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
if (!canMount) process.stderr.write("a full disk: NOT TRIED, for want of unshare and the right to mount\n");

beforeAll(() => {
  expect(spawnSync("npm", ["run", "--silent", "build"], { cwd: packageRoot }).status).toBe(0);
});

it.each(FAULTS.filter(({ quick }) => quick))(
  "$name",
  async (fault) => {
    if (fault.server?.wrapper?.[0] !== "unshare" || canMount) await runFault(fault);
  },
  90_000,
);

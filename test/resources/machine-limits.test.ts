import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { machineLimits } from "../../src/resources/machine-limits.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const GIB = 2 ** 30;
let root = "";
beforeEach(() => (root = temporaryFolder()));

function write(files: Readonly<Record<string, string>>): void {
  const meminfo = { "proc/meminfo": `MemTotal: ${String(64 * 2 ** 20)} kB\nMemAvailable:   ${String(2 ** 20)} kB\n` };
  for (const [path, text] of Object.entries({ ...meminfo, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe("machineLimits", () => {
  it("is the machine when no group has a limit", () => {
    write({
      "proc/self/cgroup": "0::/user.slice\n",
      "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
      "sys/fs/cgroup/user.slice/memory.max": "max\n",
    });
    expect(machineLimits(root)).toEqual({
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      memoryFreeBytes: GIB,
    });
    expect(machineLimits().memoryFreeBytes).toBeGreaterThan(0);
  });

  it("applies the limits of a container and of its parent groups", () => {
    write({
      "proc/self/cgroup": "0::/box.slice/oakvoice.service\n",
      "sys/fs/cgroup/box.slice/cpu.max": "150000 100000\n",
      "sys/fs/cgroup/box.slice/oakvoice.service/cpu.max": "max 100000\n",
      "sys/fs/cgroup/box.slice/oakvoice.service/memory.max": `${String(GIB)}\n`,
      "sys/fs/cgroup/box.slice/oakvoice.service/memory.current": `${String(GIB * 0.75)}\n`,
      // A model that was just copied fills the page cache, which the kernel can reclaim.
      "sys/fs/cgroup/box.slice/oakvoice.service/memory.stat": `anon 5\ninactive_file ${String(GIB * 0.25)}\nactive_file ${String(GIB * 0.125)}\n`,
    });
    expect(machineLimits(root)).toEqual({ cores: 1, memoryBytes: GIB, memoryFreeBytes: GIB * 0.625 });
  });

  it("reads version 1 groups, also with the host's path", () => {
    write({
      "proc/self/cgroup": "4:memory:/docker/5f\n1:cpu,cpuacct:/docker/5f\n0::/\n",
      "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000\n",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": `${String(GIB / 2)}\n`,
      "sys/fs/cgroup/memory/memory.usage_in_bytes": `${String(GIB / 4)}\n`,
      "sys/fs/cgroup/memory/docker/5f/memory.limit_in_bytes": "9223372036854771712\n",
    });
    expect(machineLimits(root)).toEqual({ cores: 1, memoryBytes: GIB / 2, memoryFreeBytes: GIB / 4 });
  });

  it("is the machine when there are no groups", () => {
    write({});
    expect(machineLimits(root).cores).toBe(availableParallelism());
  });
});

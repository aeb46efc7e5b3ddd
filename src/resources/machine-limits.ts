import { readFileSync } from "node:fs";
import { availableParallelism, freemem, totalmem } from "node:os";
import { dirname, join } from "node:path";

/** Cores and memory that this process may use. A container's limits count as the machine's. */
export interface MachineLimits {
  readonly cores: number;
  readonly memoryBytes: number;
  /** Memory available without swapping. Page cache counts as free. */
  readonly memoryFreeBytes: number;
}

/** @param root Folder that contains `proc` and `sys`. */
export function machineLimits(root = "/"): MachineLimits {
  const read = (path: string) => readText(join(root, path));
  const groups = controlGroups(read);
  const quotas = [
    ...groups.cpu.map((folder) => ratio(read(join(folder, "cpu.max")))),
    ...groups.cpu.map((folder) =>
      ratio(`${read(join(folder, "cpu.cfs_quota_us"))} ${read(join(folder, "cpu.cfs_period_us"))}`),
    ),
  ];
  const limits = groups.memory.flatMap((folder) => memoryLimit((name) => read(join(folder, name))));
  const available = Number(/^MemAvailable:\s+(\d+)/mu.exec(read("proc/meminfo"))?.[1] ?? freemem() / 1024) * 1024;
  return {
    cores: Math.max(1, Math.floor(Math.min(availableParallelism(), ...quotas))),
    memoryBytes: Math.min(totalmem(), ...limits.map(({ bytes }) => bytes)),
    memoryFreeBytes: Math.max(0, Math.min(available, ...limits.map(({ freeBytes }) => freeBytes))),
  };
}

/** Folders of this process's control groups and of their parents. Each may hold a limit. */
function controlGroups(read: (path: string) => string): { cpu: readonly string[]; memory: readonly string[] } {
  const lines = read("proc/self/cgroup").split("\n");
  const foldersOf = (controller: "cpu" | "memory") =>
    lines.flatMap((line) => {
      const [, id, names = "", path = "/"] = /^(\d+):([^:]*):(.*)$/u.exec(line) ?? [];
      // Version 2 has one tree for all controllers. Its number is 0, and its name is empty.
      if (id === "0") return above(path).map((folder) => join("sys/fs/cgroup", folder));
      if (!names.split(",").includes(controller)) return [];
      return above(path).map((folder) => join("sys/fs/cgroup", controller, folder));
    });
  return { cpu: foldersOf("cpu"), memory: foldersOf("memory") };
}

function above(path: string): readonly string[] {
  return path === "/" || path === "." || path === "" ? ["/"] : [path, ...above(dirname(path))];
}

/** Parses "quota period" into cores. "max" and -1 mean no limit. */
function ratio(text: string): number {
  const [quota = NaN, period = NaN] = text.trim().split(/\s+/u).map(Number);
  return quota > 0 && period > 0 ? quota / period : Infinity;
}

/** Reads version 2's files, then version 1's. Version 1 writes a huge number when there is no limit. */
function memoryLimit(read: (name: string) => string): readonly { bytes: number; freeBytes: number }[] {
  const bytes = Number.parseInt(read("memory.max") || read("memory.limit_in_bytes"), 10);
  if (!(bytes < 2 ** 50)) return [];
  const used = Number.parseInt(read("memory.current") || read("memory.usage_in_bytes"), 10) || 0;
  const cached = [...read("memory.stat").matchAll(/^(?:in)?active_file (\d+)$/gmu)];
  return [{ bytes, freeBytes: bytes - used + cached.reduce((sum, [, pages]) => sum + Number(pages), 0) }];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** USER_HZ, the unit of processor time in Linux on every architecture of Node. */
const TICKS_PER_SECOND = 100;

export interface ProcessUse {
  readonly processes: number;
  /** Processor time so far of all processes, ms. */
  readonly cpuSeconds: number;
  /** Processor time of the root process, which is the server's own. */
  readonly rootCpuSeconds: number;
  readonly residentBytes: number;
  /** Resident memory of each process, by its script. */
  readonly residentByProcess: Readonly<Record<string, number>>;
}

/** Resources of a process and all its children, from /proc. Undefined without /proc or without the process. */
export function useOf(root: number): ProcessUse | undefined {
  try {
    const parents = new Map(pids().map((pid) => [pid, statOf(pid)?.parent]));
    const family = [...parents.keys()].filter((pid) => isBelow(pid, root, parents));
    const stats = family.map(statOf).filter((stat) => stat !== undefined);
    if (stats.length === 0) return undefined;
    return {
      processes: stats.length,
      cpuSeconds: stats.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
      rootCpuSeconds: (statOf(root)?.ticks ?? 0) / TICKS_PER_SECOND,
      residentBytes: stats.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
      residentByProcess: byName(stats),
    };
  } catch {
    return undefined; // This system has no /proc.
  }
}

/** Several processes may run the same script, for example two language models. */
function byName(stats: readonly { name: string; residentBytes: number }[]): Record<string, number> {
  const bytes: Record<string, number> = {};
  for (const { name, residentBytes } of stats) bytes[name] = (bytes[name] ?? 0) + residentBytes;
  return bytes;
}

/** Processor time so far of a process's first thread: in Node, the one that runs JavaScript. */
export function firstThreadSeconds(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/schedstat`, "latin1").split(" ");
  return Number(nanoseconds) / 1e9;
}

/** The process of this machine that listens on a TCP port. */
export function listenerOn(port: number): number | undefined {
  try {
    const hex = port.toString(16).toUpperCase().padStart(4, "0");
    const rows = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n").slice(1));
    const fields = rows.map((row) => row.trim().split(/\s+/u));
    const inode = fields.find(([, local = "", , state]) => state === "0A" && local.endsWith(`:${hex}`))?.[9];
    return inode === undefined ? undefined : pids().find((pid) => holds(pid, `socket:[${inode}]`));
  } catch {
    return undefined;
  }
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number);
}

function isBelow(pid: number, root: number, parents: ReadonlyMap<number, number | undefined>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at)) if (at === root) return true;
  return false;
}

/** Undefined for a process that has ended meanwhile. */
function statOf(pid: number): { name: string; parent: number; ticks: number; residentBytes: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
    // The name in parentheses may contain any characters. The fields after it are numbers.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]].map(Number);
    const status = readFileSync(`/proc/${String(pid)}/status`, "latin1");
    const residentBytes = Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1] ?? 0) * 1024;
    return { name: nameOf(pid), parent, ticks: user + system, residentBytes };
  } catch {
    return undefined;
  }
}

/** The script that a process runs, without its folder. */
function nameOf(pid: number): string {
  const command = readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").split("\0");
  const script = command.find((word) => /\.[cm]?[jt]s$/u.test(word)) ?? command[0] ?? "";
  return basename(script);
}

function holds(pid: number, link: string): boolean {
  try {
    const folder = `/proc/${String(pid)}/fd`;
    return readdirSync(folder).some((descriptor) => isLink(`${folder}/${descriptor}`, link));
  } catch {
    return false; // The process belongs to another user or has ended.
  }
}

function isLink(path: string, link: string): boolean {
  try {
    return readlinkSync(path) === link;
  } catch {
    return false;
  }
}

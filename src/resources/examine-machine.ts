import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { cpus } from "node:os";
import { spawnSync } from "node:child_process";
import { childEnvironment } from "../child-processes/child-environment.ts";
import { machineLimits } from "./machine-limits.ts";
import { errorMessage } from "../shared/errors.ts";

/** Facts about the machine. Facts that only Linux gives are undefined elsewhere. */
export interface MachineFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly hasAvx2: boolean | undefined;
  /** Limited by the container, like the cores. */
  readonly memoryMb: number;
  readonly memoryAvailableMb: number;
  readonly diskFreeMb: number;
  readonly gpu: string | undefined;
  readonly node: string;
}

export async function examineMachine(dataDir: string): Promise<MachineFacts> {
  const flags = /^flags\s*:(.*)$/mu.exec(readText("/proc/cpuinfo") ?? "")?.[1]?.split(" ");
  const { cores, memoryBytes, memoryFreeBytes } = machineLimits();
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores,
    hasAvx2: flags?.includes("avx2"),
    memoryMb: memoryBytes / 1e6,
    memoryAvailableMb: memoryFreeBytes / 1e6,
    diskFreeMb: await freeMb(dataDir),
    gpu: graphicsCard(),
    node: process.version,
  };
}

/** Swapped-out memory of a process, MB. */
export function swappedMb(pid: number): number {
  return Number(/^VmSwap:\s+(\d+)/mu.exec(readText(`/proc/${String(pid)}/status`) ?? "")?.[1] ?? 0) / 1000;
}

/** Resident memory of a process, MB. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/mu.exec(readText(`/proc/${String(pid)}/status`) ?? "")?.[1] ?? 0) / 1000;
}

function graphicsCard(): string | undefined {
  const query = ["--query-gpu=name,memory.total", "--format=csv,noheader"];
  const { status, stdout } = spawnSync("nvidia-smi", query, { env: childEnvironment() });
  return status === 0 ? stdout.toString().trim().split("\n")[0] : undefined;
}

/** Free space of the folder, or of its nearest existing parent. */
async function freeMb(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return (bavail * bsize) / 1e6;
  } catch (error) {
    const above = folder.replace(/[/\\][^/\\]*$/u, "");
    if (above === folder || above === "")
      throw new Error(`${folder} is not on a readable disk: ${errorMessage(error)}`, { cause: error });
    return freeMb(above);
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

import { readdirSync, readFileSync } from "node:fs";

/** Process ids of the children of this process whose command line names `worker`. Linux. */
export function workerPids(worker: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isWorker(pid, worker));
}

function isWorker(pid: number, worker: string): boolean {
  try {
    const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1];
    return Number(parent) === process.pid && readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").includes(worker);
  } catch (error) {
    // The process ended between the listing and this read.
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || (error as NodeJS.ErrnoException).code === "ESRCH")
      return false;
    throw error;
  }
}

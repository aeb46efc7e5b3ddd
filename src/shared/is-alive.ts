import { readFileSync } from "node:fs";

/** Whether a process of any user has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Clock ticks from boot to the start of a process: a later process with the same id has others. Undefined where hidden. */
export function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    // The 22nd field. The second field, the program's name, may hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

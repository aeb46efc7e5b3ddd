import { readFileSync } from "node:fs";

/** Whether a process has this id, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: another user's.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Clock ticks from boot to the start of a process, which tell it from a later one with its id. Undefined where hidden. */
export function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    // The 22nd field. The second one, the program's name, may hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

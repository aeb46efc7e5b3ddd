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

import { spawnSync } from "node:child_process";

// node-llama-cpp loads signal-exit, which ends the process at this signal unless it has another listener. Node itself ignores it.
process.on("SIGXFSZ", () => undefined);

/** While `run` runs, a file that this process writes has at most `bytes`: a disk that is full. */
export async function withFileSizeLimit(bytes: number, run: () => void | Promise<void>): Promise<void> {
  limit(String(bytes));
  try {
    await run();
  } finally {
    limit("unlimited");
  }
}

function limit(bytes: string): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
  if (status !== 0) throw new Error(`prlimit: ${String(stderr)}`);
}

import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../../bench/hostile/server-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
if (!hasRedis)
  process.stderr.write("the boxes' shared store: SKIPPED, redis-server is missing (apt-get install redis-server)\n");

/** Debian's Redis on a free port of this machine. It keeps nothing on the disk, and ends with the test. */
export async function startRedis({ password }: { password?: string } = {}) {
  const port = await freePort();
  const folder = temporaryFolder();
  let server = await run();
  onTestFinished(() => stop());

  async function run(): Promise<ChildProcess> {
    const auth = password === undefined ? [] : ["--requirepass", password];
    const options = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--dir", folder, ...auth];
    const child = spawn("redis-server", options, { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise<void>((resolve, reject) => {
      let text = "";
      child.once("exit", () => reject(new Error(`redis-server did not start: ${text}`)));
      child.stdout.on("data", (piece: Buffer) => {
        text += piece.toString();
        if (text.includes("Ready to accept connections")) resolve();
      });
    });
    return child;
  }

  async function stop(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
  }

  return {
    url: `redis://127.0.0.1:${String(port)}`,
    stop,
    /** The server starts with an empty store. */
    async start() {
      server = await run();
    },
    /** The kernel still accepts connections. Nothing answers. */
    freeze: () => server.kill("SIGSTOP"),
    thaw: () => server.kill("SIGCONT"),
    /** The output of `redis-cli`. */
    cli: (...words: string[]) =>
      execFileSync("redis-cli", ["-p", String(port), ...words], {
        encoding: "utf8",
        env: { ...process.env, REDISCLI_AUTH: password ?? "" },
        stdio: ["ignore", "pipe", "ignore"],
      }).trim(),
  };
}

/** A file with a secret of the cluster. */
export function writeSecret(text = "0123456789abcdef0123456789abcdef"): string {
  const file = join(temporaryFolder(), "secret");
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

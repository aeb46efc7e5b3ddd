import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { freePort } from "../../bench/hostile/server-process.ts";

export const HAPROXY_FILE = fileURLToPath(new URL("../../deploy/haproxy/haproxy.cfg", import.meta.url));

/** Variables of deploy/haproxy/haproxy.cfg. */
type Variables = Readonly<Record<`OAKVOICE_${string}`, string>>;

const environment = (variables: Variables) => ({ PATH: process.env["PATH"], ...variables });

export const hasHaproxy = spawnSync("haproxy", ["-v"]).status === 0;
if (!hasHaproxy) process.stderr.write("HAProxy: SKIPPED, haproxy is missing (apt-get install haproxy)\n");

/** Checks the file with these variables. Returns the exit status and the warnings. */
export function checkHaproxyFile(variables: Variables) {
  const { status, stderr } = spawnSync("haproxy", ["-c", "-f", HAPROXY_FILE], {
    env: environment(variables),
    encoding: "utf8",
  });
  return { status, stderr };
}

/** Starts HAProxy with the repository's file, and stops it after the test. The log grows while it runs. */
export async function startHaproxy(variables: Variables) {
  const [port, operations] = [await freePort(), await freePort()];
  const bind = {
    OAKVOICE_BIND: `127.0.0.1:${String(port)}`,
    OAKVOICE_OPERATIONS_BIND: `127.0.0.1:${String(operations)}`,
  };
  const child = spawn("haproxy", ["-db", "-f", HAPROXY_FILE], {
    env: environment({ ...bind, ...variables }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream
      .setEncoding("utf8")
      .on("data", (text: string) => log.push(...text.split("\n").filter((line) => line !== "")));
  onTestFinished(() => stop(child));
  await untilOpen(port, child, log);
  return { port, operations, log };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** @throws Error when the process ends first. */
async function untilOpen(port: number, child: ChildProcess, log: readonly string[]): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`haproxy ended: ${log.join("\n")}`);
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

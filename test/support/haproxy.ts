import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { freePort } from "../../bench/hostile/server-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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
  return { port, operations, log: await runHaproxy(HAPROXY_FILE, port, { ...bind, ...variables }) };
}

/** Runs HAProxy until the end of the test. Resolves with its log when the port is open. */
async function runHaproxy(file: string, port: number, variables: Variables = {}): Promise<readonly string[]> {
  const child = spawn("haproxy", ["-db", "-f", file], {
    env: environment(variables),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream
      .setEncoding("utf8")
      .on("data", (chunk: string) => log.push(...chunk.split("\n").filter((line) => line !== "")));
  onTestFinished(() => stop(child));
  await untilOpen(port, child, log);
  return log;
}

interface Box {
  readonly port: number;
  readonly agentPort: number;
}

/**
 * HAProxy in front of boxes with agent ports of their own, and its runtime interface. The rule is that of the repository's file. It reads
 * the agents ten times a second and tries another box after a refusal.
 */
export async function startBalancer(boxes: readonly Box[]) {
  const port = await freePort();
  const folder = temporaryFolder();
  const socket = join(folder, "admin.sock");
  const file = join(folder, "haproxy.cfg");
  const servers = boxes.map(({ port: at, agentPort }, index) => {
    const agent = `agent-check agent-port ${String(agentPort)} agent-inter 100ms`;
    return `  server box${String(index)} 127.0.0.1:${String(at)} weight 100 ${agent}`;
  });
  const lines = [
    "global",
    `  stats socket ${socket} level admin`,
    "defaults",
    "  mode http",
    "  timeout connect 2s",
    "  timeout client 10s",
    "  timeout server 10s",
    "  timeout tunnel 1h",
    "  retries 3",
    "  option redispatch 1",
    "  retry-on conn-failure empty-response 503",
    "frontend calls",
    `  bind 127.0.0.1:${String(port)}`,
    "  default_backend boxes",
    "backend boxes",
    "  balance random(2)",
    ...servers,
    "",
  ];
  writeFileSync(file, lines.join("\n"));
  await runHaproxy(file, port);
  /** A command of HAProxy's runtime interface. */
  const command = async (line: string): Promise<string> => {
    const admin = connect(socket);
    admin.end(`${line}\n`);
    return text(admin);
  };
  /** Columns of HAProxy's statistics of each box. */
  const states = async () => {
    const [header = "", ...rows] = (await command("show stat")).replace("# ", "").split("\n");
    const names = header.split(",");
    return rows
      .map((row) => row.split(","))
      .filter(([proxy, server]) => proxy === "boxes" && server?.startsWith("box"))
      .map((cells) => {
        const cell = (name: string) => cells[names.indexOf(name)] ?? "";
        return { status: cell("status"), weight: Number(cell("weight")), agent: cell("agent_status") };
      });
  };
  return { url: `ws://127.0.0.1:${String(port)}`, port, command, states };
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

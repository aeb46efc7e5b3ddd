import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../../bench/hostile/server-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const hasHaproxy = spawnSync("haproxy", ["-v"]).status === 0;
if (!hasHaproxy) process.stderr.write("boxes behind HAProxy: SKIPPED, haproxy is missing (apt-get install haproxy)\n");

interface Box {
  readonly port: number;
  readonly agentPort: number;
}

/** Debian's HAProxy in front of boxes. It reads their agents ten times a second and tries another box after a refusal. */
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
    "  balance leastconn",
    ...servers,
    "",
  ];
  writeFileSync(file, lines.join("\n"));
  const child = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
  onTestFinished(async () => {
    const exited = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await exited;
  });
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

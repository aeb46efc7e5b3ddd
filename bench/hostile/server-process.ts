import { spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiKey } from "../../src/auth/api-keys.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { voiceAddress } from "../../src/client/address.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { useOf } from "../../src/simulated-callers/processes.ts";

export type EngineName = "whisper-cpp" | "llama" | "sherpa" | "emotion";

export interface ServerProcessOptions {
  /** Further lines of the configuration file. `{folder}` is the server's folder. */
  readonly yaml?: string;
  /** Command that starts the server, for example `prlimit --as=...`. */
  readonly wrapper?: readonly string[];
  /** Flags of Node, for example a module to load first. */
  readonly flags?: readonly string[];
  /** Chooses the port here, because standard output is not available with the wrapper. */
  readonly isMute?: boolean;
  /** Another box of the same fleet, whose API key is valid here too. */
  readonly sameKeyAs?: ServerProcess;
}

/** Finds the address in the output. In a terminal, log lines precede it. */
async function readAddress({ stdout }: ChildProcess): Promise<string> {
  for (let text = ""; ;) {
    const [data] = (await once(stdout!, "data")) as [Buffer];
    text += data.toString();
    const [address] = /^wss?:\/\/[^/]+(?=\/)/mu.exec(text) ?? [];
    if (address !== undefined) return address;
  }
}

/** A free port below 32768. Linux gives connections, and servers that ask for port 0, a higher one, so this one stays free. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_768);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return freePort();
    throw error;
  }
  server.close();
  await once(server, "close");
  return port;
}

async function untilUp(port: number): Promise<string> {
  const address = `127.0.0.1:${String(port)}`;
  while ((await fetch(`http://${address}/readyz`).catch(() => undefined))?.ok !== true) await sleep(100);
  return `ws://${address}`;
}

function withDescendants(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8").split(" ");
    return [pid, ...children.filter(Boolean).flatMap((child) => withDescendants(Number(child)))];
  } catch {
    return [];
  }
}

const exitOnSignal = () => process.exit(1);

/** The built server as an operator runs it, in a separate process and folder. */
export class ServerProcess implements AsyncDisposable {
  readonly folder: string;
  readonly pid: number;
  readonly url: string;
  readonly urlOf: (connectionId: string) => string;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Lines of the server's log. */
  readonly log: string[] = [];
  readonly #child: ChildProcess;
  readonly #key: string;
  readonly #onExit = () => void this.#child.kill("SIGKILL");

  private constructor(child: ChildProcess, folder: string, url: string, key: string) {
    this.#child = child;
    this.#key = key;
    process.once("exit", this.#onExit);
    // A signal does not cause "exit" by itself.
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, exitOnSignal);
    this.folder = folder;
    this.url = url;
    this.pid = child.pid ?? 0;
    this.urlOf = voiceAddress({ base: url, apiKey: key, configId: "default" });
    this.exited = once(child, "exit").then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
    child.stderr?.on("data", (data: Buffer) => this.log.push(...data.toString().split("\n").filter(Boolean)));
  }

  static async start(options: ServerProcessOptions = {}): Promise<ServerProcess> {
    const { yaml = "", wrapper = [], flags = [], isMute = false, sameKeyAs } = options;
    const port = isMute ? await freePort() : 0;
    const folder = mkdtempSync(join(tmpdir(), "oakvoice-hostile-"));
    const keyFile = keyFilePath(folder);
    if (sameKeyAs !== undefined) copyFileSync(keyFilePath(sameKeyAs.folder), keyFile);
    const key = sameKeyAs === undefined ? createApiKey(keyFile, "trial", undefined, Date.now()).key : sameKeyAs.#key;
    const file = join(folder, "oakvoice.yaml");
    writeFileSync(file, `port: ${String(port)}\ndata_dir: ${folder}\n${yaml.replaceAll("{folder}", folder)}`);
    const main = join(packageRoot, "dist", "src", "main.js");
    const [command, ...args] = [
      ...wrapper.map((word) => word.replaceAll("{folder}", folder)),
      process.execPath, ...flags, main, "--config", file,
    ]; // prettier-ignore
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the server ended with ${String(code)} before it was ready`);
    });
    const address = await Promise.race([isMute ? untilUp(port) : readAddress(child), ended]);
    return new ServerProcess(child, folder, address, key);
  }

  /** Addresses of calls through a balancer at `base`. */
  addressBehind(base: string): (connectionId: string) => string {
    return voiceAddress({ base, apiKey: this.#key, configId: "default" });
  }

  get key(): string {
    return this.#key;
  }

  /** Process ids of the server and all its descendants. */
  get family(): readonly number[] {
    return withDescendants(this.pid);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Process id of an engine, or undefined when it does not run. */
  engine(name: EngineName): number | undefined {
    return readdirSync(`/proc/${String(this.pid)}/task`)
      .flatMap((task) => readFileSync(`/proc/${String(this.pid)}/task/${task}/children`, "utf8").split(" "))
      .filter(Boolean)
      .map(Number)
      .find((child) => readFileSync(`/proc/${String(child)}/cmdline`, "utf8").includes(`${name}-worker`));
  }

  /** Number of open files, sockets and pipes of the server's process. */
  get handles(): number {
    return readdirSync(`/proc/${String(this.pid)}/fd`).length;
  }

  /** Resident memory of the server and its children, MB. */
  get residentMb(): number {
    return (useOf(this.pid)?.residentBytes ?? 0) / 1e6;
  }

  /** Sum of a metric over all its labels. Rejects for an unknown metric, because a wrong name would always give 0. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`${this.url.replace("ws", "http")}/metrics`);
    const lines = (await response.text()).split("\n").filter((line) => /^[a-z_]+/u.exec(line)?.[0] === name);
    if (lines.length === 0) throw new Error(`the server has no metric ${name}`);
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  async isReady(): Promise<boolean> {
    return (await fetch(`${this.url.replace("ws", "http")}/readyz`)).ok;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), 40_000);
    await this.exited;
    clearTimeout(timer);
    process.off("exit", this.#onExit);
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(name, exitOnSignal);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { vi } from "vitest";
import { createApiKey } from "../../src/auth/api-keys.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { isAlive } from "../../src/shared/is-alive.ts";
import { MAIN } from "./built-program.ts";
import { listeningSocket } from "./listening-socket.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** For each folder that it reads, starts a server with that folder's configuration and prints its process id. */
const KEEPER = `while read -r folder; do
  (export LISTEN_PID=$BASHPID LISTEN_FDS=1; exec "$0" "$1" --config "$folder/oakvoice.yaml" >"$folder/out" 2>"$folder/log") & echo $!
done`;

export interface KeptServer {
  readonly pid: number;
  /** Lines of the log whose text has the word. */
  logged(word: string): Record<string, unknown>[];
  hasEnded(): boolean;
}

/** Holds a listening socket as systemd does, and starts servers that share it. */
export class SocketKeeper implements AsyncDisposable {
  readonly port: number;
  readonly key: string;
  readonly #dataDir = temporaryFolder();
  readonly #keeper: ChildProcess;
  readonly #pids: AsyncIterator<string>;
  readonly #servers: number[] = [];

  private constructor(port: number, descriptor: number) {
    this.port = port;
    this.key = createApiKey(keyFilePath(this.#dataDir), "caller", undefined, Date.now()).key;
    this.#keeper = spawn("bash", ["-c", KEEPER, process.execPath, MAIN], {
      stdio: ["pipe", "pipe", "inherit", descriptor],
    });
    this.#pids = createInterface({ input: this.#keeper.stdout! })[Symbol.asyncIterator]();
  }

  static async open(): Promise<SocketKeeper> {
    const { port, descriptor, close } = await listeningSocket("127.0.0.1");
    const keeper = new SocketKeeper(port, descriptor);
    // This process must not accept connections of the socket.
    close();
    return keeper;
  }

  /** Starts a server. Returns when its models are loaded and it listens. */
  async start(yaml = ""): Promise<KeptServer> {
    const folder = join(this.#dataDir, `server-${String(this.#servers.length)}`);
    mkdirSync(folder);
    // The shell makes them after it has printed the id.
    for (const name of ["out", "log"]) writeFileSync(join(folder, name), "");
    writeFileSync(join(folder, "oakvoice.yaml"), `port: ${String(this.port)}\ndata_dir: ${this.#dataDir}\n${yaml}`);
    this.#keeper.stdin!.write(`${folder}\n`);
    const pid = Number((await this.#pids.next()).value);
    this.#servers.push(pid);
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    const logged = (word: string) =>
      read("log")
        .split("\n")
        .filter((line) => line.startsWith("{") && line.includes(word))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const hasEnded = () => !isAlive(pid) || readFileSync(`/proc/${String(pid)}/stat`, "utf8").includes(") Z ");
    const isListening = () => {
      if (hasEnded()) throw new Error(`the server ended: ${read("log")}`);
      return /^wss?:/mu.test(read("out"));
    };
    await vi.waitUntil(isListening, { timeout: 50_000 });
    return { pid, logged, hasEnded };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#servers) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    this.#keeper.stdin!.end();
    await once(this.#keeper, "exit");
  }
}

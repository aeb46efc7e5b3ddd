import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workerExecArgv } from "../../child-processes/worker-url.ts";
import { OakError } from "../../shared/errors.ts";
import { firstLine } from "../../shared/first-line.ts";

export interface OwnServer {
  readonly port: number;
  urlOf(connectionId: string): string;
  stop(): Promise<void>;
}

/** A server that does not end by itself is killed after this. */
const STOP_MS = 20_000;

/**
 * Starts a server with a separate configuration. Its log is `server.log` in `folder`. It stops when `signal` aborts.
 * @throws OakError `SERVER_FAILED`, with the server's last words.
 */
export async function startOwnServer(folder: string, config: object, signal: AbortSignal): Promise<OwnServer> {
  signal.throwIfAborted();
  const configFile = join(folder, "oakvoice.json");
  const logFile = join(folder, "server.log");
  writeFileSync(configFile, JSON.stringify(config));
  const log = openSync(logFile, "w");
  const main = new URL(`../../main.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("OAKVOICE_"));
  const child = spawn(
    process.execPath,
    [...workerExecArgv(main), fileURLToPath(main), "serve", "--config", configFile],
    {
      stdio: ["ignore", "pipe", log],
      env: Object.fromEntries(environment),
      // Out of reach of the terminal's Ctrl-C: the server is stopped here.
      detached: true,
    },
  );
  closeSync(log);
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const timer = setTimeout(kill, STOP_MS);
      await exited;
      clearTimeout(timer);
    }
    process.off("exit", kill);
  };
  signal.addEventListener("abort", () => void stop(), { once: true });
  try {
    const address = await firstLine(child);
    const port = Number(new URL(address.replace("<connection_id>", "any")).port);
    return { port, urlOf: (connectionId) => address.replace("<connection_id>", connectionId), stop };
  } catch (cause) {
    await stop();
    signal.throwIfAborted();
    const last = readFileSync(logFile, "utf8").trimEnd().split("\n").at(-1) ?? "";
    throw new OakError(`The server of the rehearsal did not start: ${last}`, { code: "SERVER_FAILED", cause });
  }
}

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage, OakError } from "../../src/shared/errors.ts";
import { useOf, type ProcessUse } from "../../src/simulated-callers/processes.ts";

const STOP_MS = 10_000;
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Where standard error goes. */
  readonly log: string;
}

/** A server of the bench's own. It ends with the bench. */
export class ChildServer {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when `isReady` does. @throws OakError `BENCH_FAILED` that names the log. */
  static async start(
    { command, args, cwd, env = {}, log }: Program,
    isReady: (child: ChildProcess) => Promise<unknown>,
  ): Promise<ChildServer> {
    const errors = openSync(log, "a");
    const stdio = ["ignore", "pipe", errors] as const;
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: [...stdio] });
    closeSync(errors);
    running.add(child);
    child.once("exit", () => running.delete(child));
    const server = new ChildServer(child);
    try {
      await isReady(child);
      child.stdout?.resume();
      return server;
    } catch (cause) {
      await server.stop();
      const message = `${command} ${args[0] ?? ""} did not start: ${errorMessage(cause)}. Its log is ${log}.`;
      throw new OakError(message, { code: "BENCH_FAILED", cause });
    }
  }

  /** Resources of the process and its children. */
  use(): ProcessUse | undefined {
    return this.#child.pid === undefined ? undefined : useOf(this.#child.pid);
  }

  async stop(): Promise<void> {
    if (!running.has(this.#child) || this.#child.pid === undefined) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  }
}

/** Resolves when the address answers with success. */
export async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`exit code ${String(child.exitCode)}`);
    const response = await fetch(url).catch(() => undefined); // not listening yet
    if (response?.ok === true) return;
    await sleep(200);
  }
  throw new Error(`${url} did not answer within a minute`);
}

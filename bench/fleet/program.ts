import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const READY_WITHIN_MS = 10_000;

/** A program of the fleet that is not a box: HAProxy or Redis. */
export class Program implements AsyncDisposable {
  /** Lines of its standard output. */
  readonly lines: string[] = [];
  /** The end of its standard error. */
  notices = "";
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #onExit = () => void this.#child.kill("SIGKILL");

  constructor([command = "", ...words]: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    this.#exited = once(this.#child, "exit");
    process.once("exit", this.#onExit);
    this.#child.stderr
      ?.setEncoding("utf8")
      .on("data", (text: string) => (this.notices = (this.notices + text).slice(-50_000)));
    let rest = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
    });
  }

  /** Resolves when `isReady` holds. @throws Error when that takes too long, or the program has ended. */
  async until(isReady: () => boolean | Promise<boolean>): Promise<void> {
    const giveUpMs = performance.now() + READY_WITHIN_MS;
    while (!(await isReady())) {
      if (this.#child.exitCode !== null || performance.now() > giveUpMs)
        throw new Error(
          `${this.#child.spawnfile} is not ready:\n${this.lines.slice(-5).join("\n")}\n${this.notices.slice(-2_000)}`,
        );
      await sleep(100);
    }
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off("exit", this.#onExit);
    await this.stop("SIGKILL");
  }
}

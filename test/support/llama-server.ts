import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { packageRoot } from "../../src/shared/package-root.ts";

/** The key that the server expects. */
const KEY = "key-of-a-test";
const program = join(packageRoot, "build", "llama-server", "llama-server");
const platform = `${process.platform}-${process.arch}`;
/** llama-server looks for the libraries of ggml's processors in its working folder. */
const libraries = join(packageRoot, "node_modules", "@node-llama-cpp", platform, "bins", platform);

/** Undefined when llama-server was built. */
export const llamaServerMissing = existsSync(program) ? undefined : "llama-server (npm run build:llama-server)";

interface Slot {
  readonly id: number;
  readonly is_processing: boolean;
}

/** llama.cpp's HTTP server with the starter language model. */
export class LlamaServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly host: string;

  private constructor(child: ChildProcessWithoutNullStreams, host: string) {
    this.#child = child;
    this.host = host;
  }

  /** @param options Further options of llama-server. */
  static async start(...options: readonly string[]): Promise<LlamaServer> {
    const model = join(packageRoot, "models", "starter", "llm", "starter.gguf");
    const own = ["--model", model, "--alias", "starter", "--api-key", KEY, "--threads", "1", "--slots"];
    const address = ["--host", "127.0.0.1", "--port", "0"];
    const child = spawn(program, [...own, ...address, ...options], { cwd: libraries });
    child.stdout.resume();
    for await (const line of createInterface(child.stderr)) {
      const [, host] = /listening on http:\/\/(127\.0\.0\.1:\d+)/u.exec(line) ?? [];
      if (host === undefined) continue;
      child.stderr.resume();
      return new LlamaServer(child, host);
    }
    throw new Error(`llama-server ended with ${String(child.exitCode)}`);
  }

  get url(): string {
    return `http://${this.host}/v1`;
  }

  /** A file with the key. */
  writeKey(folder: string): string {
    const file = join(folder, "llama-server-key");
    writeFileSync(file, KEY, { mode: 0o600 });
    return file;
  }

  /** Requests that are being answered. */
  async busySlots(): Promise<number> {
    const answer = await fetch(`http://${this.host}/slots`, { headers: { authorization: `Bearer ${KEY}` } });
    return ((await answer.json()) as readonly Slot[]).filter((slot) => slot.is_processing).length;
  }

  async close(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }
}

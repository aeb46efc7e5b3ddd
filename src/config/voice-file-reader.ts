import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { workerExecArgv, workerUrl } from "../child-processes/worker-url.ts";
import { childEnvironment } from "../child-processes/child-environment.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { parseStructured } from "../shared/files/read-structured-file.ts";
import type { ParsedFile } from "./voice-file-worker.ts";

/** Parsed in this process: takes 0.2 s at most, contrived YAML included. */
const INLINE_BYTES = 8_192;
/** A large file takes 0.3 s to parse, contrived YAML half a minute. */
const MAX_PARSE_MS = 5_000;
/** Time to load the parser. A busy machine takes seconds, which do not count as parsing. */
const MAX_START_MS = 30_000;
const MEMORY_LIMIT = "--max-old-space-size=128";

/** The child process was stopped, or could not start. Another attempt may succeed. */
export class ParsingStopped extends Error {}

/** Reads YAML and JSON files one at a time. A child process parses large files, so that no file blocks the event loop. */
export class VoiceFileReader implements Disposable {
  #child: ChildProcess | undefined;

  /** @throws OakError `CONFIG_UNREADABLE` or `CONFIG_INVALID`. */
  async read(file: string): Promise<unknown> {
    const text = await readInline(file);
    if (text !== undefined) return parseStructured(file, text);
    let answer: ParsedFile;
    try {
      if (this.#child === undefined) {
        this.#child = start();
        await nextMessage(this.#child, MAX_START_MS);
      }
      const message = nextMessage(this.#child, MAX_PARSE_MS);
      this.#child.send(file, () => undefined);
      answer = (await message) as ParsedFile;
    } catch (cause) {
      this[Symbol.dispose]();
      throw new OakError(`${file}: cannot be parsed: ${errorMessage(cause)}.`, { code: "CONFIG_INVALID", cause });
    }
    if ("value" in answer) return answer.value;
    throw new OakError(answer.message, { code: answer.code });
  }

  [Symbol.dispose](): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }
}

/** Undefined when the child must read the file, or report why it cannot be read. */
async function readInline(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file);
    return found.isFile() && found.size <= INLINE_BYTES ? await readFile(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function start(): ChildProcess {
  const worker = workerUrl("voice-file-worker", import.meta.url);
  const child = fork(fileURLToPath(worker), {
    execArgv: [...workerExecArgv(worker), MEMORY_LIMIT],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: childEnvironment(),
  });
  // `ask` reports it; without a listener it would end this process.
  return child.on("error", () => undefined);
}

/** @throws ParsingStopped when the process ended, at the latest after `limitMs`. */
async function nextMessage(child: ChildProcess, limitMs: number): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
  try {
    const ended = once(child, "exit", { signal }).then(() => {
      throw new ParsingStopped("it takes too much time or memory");
    });
    const [message] = (await Promise.race([once(child, "message", { signal }), ended])) as [unknown];
    return message;
  } finally {
    clearTimeout(limit);
    settled.abort();
  }
}

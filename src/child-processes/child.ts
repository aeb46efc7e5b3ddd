import { fork, type ChildProcess } from "node:child_process";
import { addAbortListener } from "node:events";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "./child-environment.ts";
import { OakError } from "../shared/errors.ts";
import { oneLine } from "../shared/printable.ts";
import { describeModelFault } from "./model-fault.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { OutputTail } from "./output-tail.ts";
import { workerExecArgv } from "./worker-url.ts";

/** A running child process that is ready. */
export interface Child {
  readonly pid: number | undefined;
  readonly info: unknown;
  /** Resolves at the exit, with "exit code 1", or with "SIGABRT" and the library's last words in quotes. */
  readonly exited: Promise<string>;
  /** Throws when the message cannot be copied. Does nothing after the channel has closed. */
  send(message: ToWorker): void;
  onMessage(listener: (message: FromWorker) => void): void;
  kill(): void;
}

/** In MB. A child makes little garbage, but V8's default would keep up to 48 MB for it after some hours. */
const SMALL_YOUNG_GENERATION = ["--max-semi-space-size=2"];
/** glibc keeps freed memory for each thread. Models allocate too seldom to benefit (docs/decisions/0061). */
const ONE_ARENA = { MALLOC_ARENA_MAX: "1" };

const MAX_FAULT_LENGTH = 400;
/** How long the last output of an ended child may take to arrive. */
const OUTPUT_MS = 200;

export interface ChildOptions {
  /** Such as "language model"; starts the error line. */
  readonly name: string;
  /** Path of the model; part of the error line. */
  readonly model: string;
  readonly worker: URL;
  readonly init: unknown;
  readonly startMs: number;
  /** Tells the operator what to do about a failed start. */
  readonly remedy: string;
}

/** Resolves when the worker is ready. Rejects with ENGINE_START_FAILED and one line for the operator, or on abort. */
export async function startChild(options: ChildOptions, signal: AbortSignal): Promise<Child> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(options.worker), {
    serialization: "advanced",
    execArgv: [...workerExecArgv(options.worker), ...SMALL_YOUNG_GENERATION],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...ONE_ARENA, ...childEnvironment() },
  });
  const output = new OutputTail(child);
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, killedBy) => {
      const how = killedBy ?? `exit code ${String(code)}`;
      const report = (): void => resolve(after(how, output.fault()));
      // "close" comes after the last output. A process that the child started may keep its pipes open.
      child.once("close", report);
      setTimeout(report, OUTPUT_MS).unref();
    });
    child.once("error", (error) => child.pid === undefined && resolve(error.message));
  });
  try {
    const info = await untilReady(child, options, output, signal);
    output.started();
    return {
      pid: child.pid,
      info,
      exited,
      send: (message) => send(child, message),
      onMessage: (listener) => void child.on("message", listener),
      kill: () => void child.kill("SIGKILL"),
    };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

async function untilReady(
  child: ChildProcess,
  options: ChildOptions,
  output: OutputTail,
  signal: AbortSignal,
): Promise<unknown> {
  let resolve!: (info: unknown) => void;
  let reject!: (error: unknown) => void;
  const ready = new Promise<unknown>((onReady, onFailed) => {
    resolve = onReady;
    reject = onFailed;
  });
  const fail = (why: string): void => {
    const message = `Cannot start the ${options.name} (${options.model}): ${oneLine(describeModelFault(why)).replace(/\.$/u, "").slice(0, MAX_FAULT_LENGTH)}. ${options.remedy}`;
    reject(new OakError(message, { code: "ENGINE_START_FAILED" }));
  };
  const onMessage = (message: FromWorker): void => {
    if (message.type === "ready") resolve(message.info);
    if (message.type === "failed") fail(message.error.message);
  };
  // "close" comes after the last output. It also follows a failed spawn.
  const onClose = (code: number | null, killedBy: string | null): void => {
    const how =
      killedBy === null ? `its process ended with exit code ${String(code)}` : `its process was ended by ${killedBy}`;
    fail(after(how, output.lastLine()));
  };
  const timer = setTimeout(() => fail(`not ready after ${String(options.startMs / 1000)} s`), options.startMs);
  const onAbort = addAbortListener(signal, () => reject(signal.reason));
  child.on("message", onMessage);
  child.once("close", onClose);
  child.on("error", (error) => fail(error.message));
  send(child, { type: "init", init: options.init });
  try {
    return await ready;
  } finally {
    clearTimeout(timer);
    onAbort[Symbol.dispose]();
    child.off("message", onMessage);
    child.off("close", onClose);
  }
}

const after = (how: string, words: string): string => (words === "" ? how : `${how} after "${words}"`);

function send(child: ChildProcess, message: ToWorker): void {
  // The callback ignores the error of a closed channel: `exited` reports it.
  if (child.connected) child.send(message, () => undefined);
}

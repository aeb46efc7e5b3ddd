import { printable } from "./printable.ts";

/** What went wrong, in a form a machine can act on. `message` says what to do about it. */
export interface ErrorInfo {
  /** Upper snake case, stable; listed in docs/protocol.md when it can reach a client. */
  readonly code: string;
  /** True when the same call may succeed later without any change. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * Every error the program raises on purpose. Its message goes to terminals and logs, and may quote a file's name or text:
 * control characters are shown as `\u{1b}`, except line feeds, which a usage has. An abort is not one: it rejects with
 * `signal.reason`.
 */
export class OakError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(message: string, info: ErrorInfo) {
    super(message.split("\n").map(printable).join("\n"), info.cause === undefined ? undefined : { cause: info.cause });
    this.name = "OakError";
    this.code = info.code;
    this.retryable = info.retryable ?? false;
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** What an engine threw, as a failure of its stage: an OakError, or the reason of an abort. */
export function asFailure(error: unknown): unknown {
  if (error instanceof OakError || isAbort(error)) return error;
  return new OakError(errorMessage(error), { code: errorCode(error), cause: error });
}

/** Throws everything but the failure of a stage again, so that a fault of the program is not reported as one. */
export function rethrowFault(error: unknown): void {
  if (!(error instanceof OakError) && !isAbort(error)) throw error;
}

/** The code of an error raised on purpose, `INTERNAL` for anything else. */
export function errorCode(error: unknown): string {
  return error instanceof OakError ? error.code : "INTERNAL";
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Where an error was raised, for the log: up to five frames, without the message, which could quote a caller. */
export function stackFrames(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { stack = "", message } = error;
  const frames = stack.slice(stack.indexOf(message) + message.length).match(/^ +at .+$/gm);
  return frames?.slice(0, 5).join("\n");
}

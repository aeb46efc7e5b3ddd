import { ERRORS, type ErrorCode } from "./error-codes.ts";
import { printable } from "./printable.ts";

export interface ErrorInfo {
  readonly code: ErrorCode;
  /** Default: what the list of codes says. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * An error that the program expects. Its message says what is wrong, where, and what to do. Terminals and logs show it, so
 * control characters are written as `\u{1b}`, except line feeds. An abort is not an OakError: it rejects with `signal.reason`.
 */
export class OakError extends Error {
  readonly code: ErrorCode;
  /** Whether the same request may succeed later, unchanged. */
  readonly retryable: boolean;

  constructor(message: string, info: ErrorInfo) {
    super(message.split("\n").map(printable).join("\n"), info.cause === undefined ? undefined : { cause: info.cause });
    this.name = "OakError";
    this.code = info.code;
    this.retryable = info.retryable ?? ERRORS[info.code].retryable;
  }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** Makes an OakError of an exception of an engine. An abort is returned as it is. */
export function asFailure(error: unknown): unknown {
  if (error instanceof OakError || isAbort(error)) return error;
  return new OakError(errorMessage(error), { code: errorCode(error), cause: error });
}

/** Throws an error that is not expected again, so that a fault of the program is not reported as a failed stage. */
export function rethrowFault(error: unknown): void {
  if (!(error instanceof OakError) && !isAbort(error)) throw error;
}

/** The code of an OakError, or `INTERNAL`. */
export function errorCode(error: unknown): ErrorCode {
  return error instanceof OakError ? error.code : "INTERNAL";
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Up to five stack frames for the log. The message is left out, because it could quote a caller. */
export function stackFrames(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { stack = "", message } = error;
  const frames = stack.slice(stack.indexOf(message) + message.length).match(/^ +at .+$/gm);
  return frames?.slice(0, 5).join("\n");
}

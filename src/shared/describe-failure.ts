import { errorMessage, OakError, stackFrames } from "./errors.ts";

/**
 * One line for the operator. A bug of the program names its place; with OAKVOICE_LOG_LEVEL debug or trace more of its stack
 * follows.
 */
export function describeFailure(error: unknown): string {
  const message = oneLine(errorMessage(error));
  // Errors of the system name the file and the reason.
  const isExpected = error instanceof OakError || (error instanceof Error && "syscall" in error);
  if (isExpected) return message;
  const frames = stackFrames(error) ?? "";
  const place = oneLine(frames.split("\n")[0] ?? "");
  const isVerbose = ["debug", "trace"].includes(process.env["OAKVOICE_LOG_LEVEL"] ?? "");
  const line = `unexpected error, please report it: ${message} (${place})`;
  return isVerbose ? `${line}\n${frames}` : line;
}

/** Control characters could write anything to a terminal. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();

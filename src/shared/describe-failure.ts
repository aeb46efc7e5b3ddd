import { errorMessage, OakError, stackFrames } from "./errors.ts";
import { oneLine } from "./printable.ts";

/**
 * One line for the operator. An unexpected error names its place in the code. With OAKVOICE_LOG_LEVEL debug or trace, stack
 * frames follow.
 */
export function describeFailure(error: unknown): string {
  const message = oneLine(errorMessage(error));
  // A system error names the file and the reason.
  const isExpected = error instanceof OakError || (error instanceof Error && "syscall" in error);
  if (isExpected) return message;
  const frames = stackFrames(error) ?? "";
  const place = oneLine(frames.split("\n")[0] ?? "");
  const isVerbose = ["debug", "trace"].includes(process.env["OAKVOICE_LOG_LEVEL"] ?? "");
  const line = `unexpected error, please report it: ${message} (${place})`;
  return isVerbose ? `${line}\n${frames}` : line;
}

import type { ErrorCode } from "../shared/error-codes.ts";
import { errorCode, errorMessage } from "../shared/errors.ts";
import { readStructuredFile } from "../shared/files/read-structured-file.ts";

export type ParsedFile = { readonly value: unknown } | { readonly code: ErrorCode; readonly message: string };

/** Runs in a child process. Says that it is ready, then parses the files whose paths the parent sends. */
process.on("message", (file: string) => process.send?.(parse(file)));
process.send?.("ready");

function parse(file: string): ParsedFile {
  try {
    return { value: readStructuredFile(file) };
  } catch (error) {
    return { code: errorCode(error), message: errorMessage(error) };
  }
}

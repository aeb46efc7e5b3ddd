import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { asFileError } from "./file-error.ts";

/** Writes a command's output file. Removes a partial file. @throws OakError `OUTPUT_FAILED`, one line. */
export function writeOutput(file: string, data: string | Uint8Array): void {
  try {
    writeFileSync(file, data);
  } catch (error) {
    const isWritten = (error as NodeJS.ErrnoException).syscall === "write";
    if (isWritten && lstatSync(file).isFile()) rmSync(file);
    throw asFileError(error, "OUTPUT_FAILED", file);
  }
}

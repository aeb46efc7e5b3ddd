import { fstatSync, statSync, writeFileSync } from "node:fs";
import { OakError } from "./errors.ts";

const STDOUT = 1;

/** Writes a line to standard output. Rejects with OakError `OUTPUT_FAILED` when the line was not written completely. */
export async function print(text: string): Promise<void> {
  const line = `${text}\n`;
  try {
    // On a full disk, a stream would take a partial write for a complete one.
    if (fstatSync(STDOUT).isFile()) writeFileSync(STDOUT, line);
    else await new Promise<void>((resolve, reject) => process.stdout.write(line, (error) => (error ? reject(error) : resolve()))); // prettier-ignore
  } catch (cause) {
    throw outputFailed(cause);
  }
}

/** Keeps a closed or full standard output or standard error from ending the process. */
export function surviveOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

/** For a tool that writes with `console.log`, which drops errors. */
export function exitOnOutputError(tool: string): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (cause) => {
    process.stderr.write(`${tool}: ${outputFailed(cause).message}\n`);
    process.exit(1);
  });
}

/** Whether standard output is /dev/null. Node opens /dev/null when standard output is closed. */
export function isOutputDiscarded(): boolean {
  const output = fstatSync(STDOUT);
  return output.isCharacterDevice() && output.rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
}

function outputFailed(cause: unknown): OakError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new OakError(`Standard output cannot be written (${code}).`, { code: "OUTPUT_FAILED", cause });
}

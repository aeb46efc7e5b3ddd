import { OakError } from "../../shared/errors.ts";
import type { MachineFacts } from "../../resources/examine-machine.ts";
import type { RehearsalFile } from "./catalogue-shapes.ts";
import { bytesOf } from "./write-pieces.ts";

/** Processes, buffers and the small models beside the large ones. */
const BASE_BYTES = 0.8e9;

/** Memory for these models and `callers` contexts of `contextTokens`. */
export function memoryFor(files: readonly RehearsalFile[], callers: number, contextTokens: number): number {
  const cache = files.reduce((sum, file) => sum + file.cacheBytesPerToken, 0) * callers * contextTokens;
  return files.reduce((sum, { pieces }) => sum + bytesOf(pieces), cache + BASE_BYTES);
}

/** @throws OakError `NO_SPACE`. */
export function requireMemory(neededBytes: number, machine: MachineFacts): void {
  const free = machine.memoryAvailableMb;
  if (neededBytes / 1e6 <= free) return;
  throw new OakError(
    `The rehearsal needs ${gigabytes(neededBytes)} of memory; ${gigabytes(free * 1e6)} are free. ` +
      "Use a smaller profile, fewer --callers or a lower models.llm.context_tokens.",
    { code: "NO_SPACE" },
  );
}

/** @throws OakError `NO_SPACE`. */
export function requireDisk(neededBytes: number, machine: MachineFacts, folder: string): void {
  if (neededBytes / 1e6 <= machine.diskFreeMb) return;
  throw new OakError(
    `The rehearsal needs ${gigabytes(neededBytes)} of disk; ${gigabytes(machine.diskFreeMb * 1e6)} are free in ${folder}. ` +
      "Free some, or name another disk with --keep DIR.",
    { code: "NO_SPACE" },
  );
}

export const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

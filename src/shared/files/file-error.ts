import type { ErrorCode } from "../error-codes.ts";
import { errorMessage, OakError } from "../errors.ts";
import { oneLine } from "../printable.ts";

const PERMISSION = "permission denied. Run this as the user that owns it";

/** Reason and remedy. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: PERMISSION,
  EPERM: PERMISSION,
  ENOENT: "it does not exist. Check the path",
  ENOTDIR: "a part of the path is not a folder. Check the path",
  EISDIR: "it is a folder, not a file. Check the path",
  ELOOP: "its symbolic links form a loop. Check the path",
  ENOSPC: "the disk is full. Make room, then try again",
  EDQUOT: "the disk quota is used up. Make room, then try again",
  EFBIG: "it is larger than this process may write. Raise the limit (ulimit -f)",
  EROFS: "the file system is read-only. Make it writable, or use another folder",
  ENAMETOOLONG: "its name is too long. Use a shorter path",
  EIO: "the disk reports an error. Check the disk",
  EMFILE: "too many files are open. Raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine",
};

/** For a copy or a rename, these errors concern the destination. */
const DESTINATION_ERRORS: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EROFS"]);

/** Such as "the disk is full (ENOSPC). Make room, then try again". For the end of a message, without the full stop. */
export function fileErrorReason(cause: unknown): string {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const [why, ...remedy] = (REASONS[code] ?? "").split(". ");
  if (why === undefined || why === "") return oneLine(errorMessage(cause));
  return [`${why} (${code})`, ...remedy].join(". ");
}

/**
 * Turns an error of the file system into one line for the operator. Returns other errors unchanged.
 * @param file For errors that name no file, such as those of a write.
 */
export function asFileError(error: unknown, code: ErrorCode, file: string): unknown {
  const { code: why = "", syscall, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  if (!(error instanceof Error) || error instanceof OakError || syscall === undefined) return error;
  const named = dest !== undefined && DESTINATION_ERRORS.has(why) ? dest : path;
  return new OakError(`${named ?? file}: ${fileErrorReason(error)}.`, { code, cause: error });
}

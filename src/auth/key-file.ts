import {
  mkdirSync,
  openSync,
  closeSync,
  fchownSync,
  fsyncSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { configInvalid } from "../config/read-structured-file.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { isAlive } from "../shared/is-alive.ts";

const limit = z.exactOptional(z.int().min(1));

const keyRecordSchema = z.strictObject({
  id: z.string().min(1),
  name: z.string(),
  /** SHA-256 of the whole key, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The only project the key opens; null for all. */
  project_id: z.string().nullable(),
  /** For all connections of the key together, in place of the server's limits. */
  limits: z.exactOptional(
    z.strictObject({ max_connections: limit, max_messages_per_second: limit, max_audio_bytes_per_second: limit }),
  ),
  created_at: z.iso.datetime(),
  revoked_at: z.iso.datetime().nullable(),
});

const keyFileSchema = z.strictObject({ version: z.literal(1), keys: z.array(keyRecordSchema) });

export type KeyRecord = z.output<typeof keyRecordSchema>;

const MAX_LOCKED_MS = 2_000;
const LOOK_EVERY_MS = 10;

export const keyFilePath = (dataDir: string): string => join(dataDir, "api-keys.json");

/** No file means no keys. @throws OakError `KEYS_UNREADABLE` or `CONFIG_INVALID`. */
export function readKeyFile(file: string): KeyRecord[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return [];
    throw unreadable(file, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new OakError(`${file}: not valid JSON; restore it from a backup.`, { code: "KEYS_UNREADABLE", cause });
  }
  const parsed = keyFileSchema.safeParse(value);
  if (!parsed.success) throw configInvalid(() => file, parsed.error);
  return parsed.data.keys;
}

/** Changes when the file does, or its owner or mode; empty while there is none. @throws OakError `KEYS_UNREADABLE`. */
export function keyFileStamp(file: string): string {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}`;
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/**
 * Reads, changes and replaces the file in one step that no other `oakvoice keys` and no other server can come between.
 * A reader sees the old file or the new one, never half of one; only the owner may read it (0600).
 * @throws OakError `KEYS_LOCKED` when another process keeps the file; `KEYS_UNWRITABLE` when the disk does not take it.
 */
export function updateKeyFile(file: string, change: (keys: KeyRecord[]) => KeyRecord[]): void {
  const lock = `${file}.lock`;
  takeLock(file, lock);
  try {
    writeAtomically(file, `${JSON.stringify({ version: 1, keys: change(readKeyFile(file)) }, undefined, 2)}\n`);
  } finally {
    rmSync(lock);
  }
}

/** Another holds it for a few milliseconds: it is waited for. */
function takeLock(file: string, lock: string): void {
  for (const deadlineMs = performance.now() + MAX_LOCKED_MS; ;) {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      return writeFileSync(lock, `${String(process.pid)}\n`, { flag: "wx", mode: 0o600 });
    } catch (cause) {
      if (!isErrno(cause, "EEXIST")) throw unwritable(file, cause);
      if (performance.now() > deadlineMs) throw locked(lock, cause);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
    }
  }
}

/** Taken away by no program: two that did so at once would both believe that they hold it. */
function locked(lock: string, cause: unknown): OakError {
  const pid = holderOf(lock);
  const isHeld = pid === undefined || (pid > 0 && isAlive(pid));
  const why = isHeld
    ? `${pid === undefined ? "another process" : `process ${String(pid)}`} changes the keys. Try again`
    : "whoever made it was interrupted. Delete that file";
  return new OakError(`${lock} is there: ${why}.`, { code: "KEYS_LOCKED", retryable: true, cause });
}

/** Undefined: it has just let go. */
function holderOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, "utf8"));
  } catch {
    return undefined;
  }
}

function writeAtomically(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // One that a killed process left, or a link that somebody planted: root must not write where it leads.
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
      // Root may change the keys of a server that runs as another user: that one must be able to read them.
      const { uid, gid } = statSync(dirname(file));
      if (process.getuid?.() === 0) fchownSync(descriptor, uid, gid);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw unwritable(file, cause);
  }
}

const unreadable = (file: string, cause: unknown): OakError =>
  new OakError(`${file}: cannot be read: ${errorMessage(cause)}. It must belong to the user that the server runs as.`, {
    code: "KEYS_UNREADABLE",
    cause,
  });

const unwritable = (file: string, cause: unknown): OakError =>
  new OakError(`${file}: cannot be written, and stays as it was: ${errorMessage(cause)}.`, {
    code: "KEYS_UNWRITABLE",
    cause,
  });

const isErrno = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

import { fchownSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { configInvalid } from "../shared/files/read-structured-file.ts";
import { OakError } from "../shared/errors.ts";
import { fileErrorReason } from "../shared/files/file-error.ts";
import { fileStamp } from "../shared/files/file-stamp.ts";
import { lockFolder } from "../shared/files/folder-lock.ts";
import { makeFolder } from "../shared/files/make-folder.ts";
import { readSmallFile } from "../shared/files/read-small-file.ts";
import { overwriteBytes } from "./overwrite-bytes.ts";
import { replaceFile } from "./replace-file.ts";

const limit = z.exactOptional(z.int().min(1));

/**
 * Permissions beyond a call of one's own. "say": makes the assistant speak in open calls. "inspect": sees arguments and results of the
 * tools that the server runs in its own calls, and the names of models.
 */
export const PERMISSIONS = ["say", "inspect"] as const;
export type Permission = (typeof PERMISSIONS)[number];

const keyRecordSchema = z.strictObject({
  id: z.string().min(1),
  name: z.string(),
  /** SHA-256 of the whole key, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The only project the key opens; null for all. */
  project_id: z.string().nullable(),
  limits: z.exactOptional(
    z.strictObject({ max_connections: limit, max_messages_per_second: limit, max_audio_bytes_per_second: limit }),
  ),
  permissions: z.exactOptional(z.array(z.enum(PERMISSIONS))),
  /** An operator's key reads and erases call records, and opens no call. Absent: a caller's key. */
  role: z.exactOptional(z.literal("operator")),
  created_at: z.iso.datetime(),
  revoked_at: z.iso.datetime().nullable(),
});

const keyFileSchema = z.strictObject({ version: z.literal(1), keys: z.array(keyRecordSchema) });

export type KeyRecord = z.output<typeof keyRecordSchema>;

/** Limits of all connections of one key together. The server's own limits replace those that are absent. */
export type KeyLimits = NonNullable<KeyRecord["limits"]>;

/** Some 40,000 keys. */
const MOST_KEY_FILE_BYTES = 16_777_216;
/** Other processes hold the lock for milliseconds only. */
const LOCK_WAIT_SECONDS = 2;
/** Padded to the length of a time in JSON, so that revoking a key changes no other byte of the file. */
const NOT_REVOKED = '"revoked_at": null';
const REVOKED_BYTES = JSON.stringify(new Date(0)).length;

/** No file means no keys. @throws OakError `KEYS_UNREADABLE` or `CONFIG_INVALID`. */
export function readKeyFile(file: string): KeyRecord[] {
  let text: string;
  try {
    text = readSmallFile(file, MOST_KEY_FILE_BYTES).toString();
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

/** The file's stamp; empty when there is no file. @throws OakError `KEYS_UNREADABLE`. */
export function keyFileStamp(file: string): string {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "" : fileStamp(stat);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/**
 * Reads, changes and replaces the file under a lock. A reader sees the old file or the new one. Only the owner may read the
 * file (0600). A revocation works on a full disk.
 * @throws OakError `KEYS_LOCKED` when another process keeps the lock; `KEYS_UNWRITABLE` when the file cannot be written.
 */
export function updateKeyFile(file: string, change: (keys: KeyRecord[]) => KeyRecord[]): void {
  using _ = lockKeys(file);
  const text = `${JSON.stringify({ version: 1, keys: change(readKeyFile(file)) }, undefined, 2)}\n`;
  const padded = text.replaceAll(NOT_REVOKED, NOT_REVOKED.padEnd(NOT_REVOKED.length - "null".length + REVOKED_BYTES));
  try {
    replaceFile(file, padded, (descriptor) => giveToFolderOwner(file, descriptor));
  } catch (cause) {
    if (!overwriteBytes(file, padded, REVOKED_BYTES)) throw unwritable(file, cause);
  }
}

function lockKeys(file: string): Disposable {
  const folder = dirname(file);
  let lock: Disposable | undefined;
  try {
    makeFolder(folder, 0o700);
    lock = lockFolder(folder, LOCK_WAIT_SECONDS);
  } catch (cause) {
    throw cause instanceof OakError ? cause : unwritable(file, cause);
  }
  if (lock !== undefined) return lock;
  const message = `${file}: another process is changing the keys. Try again.`;
  throw new OakError(message, { code: "KEYS_LOCKED" });
}

/** When root changes the keys, the user that the server runs as must still be able to read them. */
function giveToFolderOwner(file: string, descriptor: number): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  fchownSync(descriptor, uid, gid);
}

const unreadable = (file: string, cause: unknown): OakError =>
  new OakError(
    `${file}: cannot be read: ${fileErrorReason(cause)}. It must belong to the user that the server runs as.`,
    {
      code: "KEYS_UNREADABLE",
      cause,
    },
  );

const unwritable = (file: string, cause: unknown): OakError =>
  new OakError(`${file}: not changed: ${fileErrorReason(cause)}.`, {
    code: "KEYS_UNWRITABLE",
    cause,
  });

const isErrno = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

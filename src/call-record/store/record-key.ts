import { createHash, hkdfSync } from "node:crypto";
import { fileErrorReason } from "../../shared/files/file-error.ts";
import { readSmallFile } from "../../shared/files/read-small-file.ts";
import { OakError } from "../../shared/errors.ts";

const LEAST_BYTES = 32;
const KEY_BYTES = 32;

/** The operator's key, from which the key of each file is derived. */
export interface RecordKey {
  /** @param salt Random, at the beginning of the file. @param name The file's name: a file under another name cannot be read. */
  forFile(salt: Uint8Array, name: string): Buffer;
  /** A value that is the same for equal names, and does not show the name. */
  nameDigest(name: string): string;
}

/** @throws OakError `RECORD_KEY_INVALID` when the file cannot be read or is too short. */
export function readRecordKey(file: string): RecordKey {
  let bytes: Buffer;
  try {
    bytes = readSmallFile(file);
  } catch (cause) {
    const message = `call_record.key_file: ${file} cannot be read: ${fileErrorReason(cause)}. Without this key no record can be read or written.`;
    throw new OakError(message, { code: "RECORD_KEY_INVALID", cause });
  }
  if (bytes.length < LEAST_BYTES) {
    const message = `call_record.key_file: ${file} has ${String(bytes.length)} bytes and needs at least ${String(LEAST_BYTES)} random ones: "openssl rand -out record.key 32" makes such a file.`;
    throw new OakError(message, { code: "RECORD_KEY_INVALID" });
  }
  const derive = (salt: Uint8Array, name: string) =>
    Buffer.from(hkdfSync("sha256", bytes, salt, `oakvoice call record ${name}`, KEY_BYTES));
  return {
    forFile: derive,
    nameDigest: (name) =>
      createHash("sha256")
        .update(derive(Buffer.alloc(0), "names"))
        .update(name)
        .digest("hex")
        .slice(0, 32),
  };
}

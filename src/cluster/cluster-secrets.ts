import { hkdfSync } from "node:crypto";
import type { ClusterConfig } from "../config/server-config-schema.ts";
import { OakError } from "../shared/errors.ts";
import { fileErrorReason } from "../shared/files/file-error.ts";
import { readSmallFile } from "../shared/files/read-small-file.ts";

const LEAST_SECRET_BYTES = 32;
const KEY_BYTES = 32;

export interface ClusterSecrets {
  readonly secret: Buffer;
  readonly password: string | undefined;
  /** Certificate authority in PEM. */
  readonly ca: Buffer | undefined;
}

/** @throws OakError `CLUSTER_INVALID`, which names the field and the file. */
export function readClusterSecrets({ secret_file, password_file, ca_file }: ClusterConfig): ClusterSecrets {
  const secret = withoutLineEnd(read("secret_file", secret_file));
  if (secret.length < LEAST_SECRET_BYTES) {
    const message = `has ${String(secret.length)} bytes. At least ${String(LEAST_SECRET_BYTES)} are needed: openssl rand -hex 32`;
    throw invalid("secret_file", secret_file, message);
  }
  const password = password_file === undefined ? undefined : read("password_file", password_file).toString().trim();
  if (password === "") throw invalid("password_file", password_file, "is empty. Put the password there");
  return { secret, password, ca: ca_file === undefined ? undefined : read("ca_file", ca_file) };
}

/** HKDF with SHA-256. A key for one purpose says nothing about the secret or about keys for other purposes. */
export const deriveKey = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "oakvoice cluster", purpose, KEY_BYTES));

function read(field: string, file: string): Buffer {
  try {
    return readSmallFile(file);
  } catch (cause) {
    throw invalid(field, file, `cannot be read: ${fileErrorReason(cause)}`, cause);
  }
}

/** An editor or `openssl` ends the file with a line feed, and a copy may lack it. */
const withoutLineEnd = (bytes: Buffer): Buffer => bytes.subarray(0, /[\r\n]*$/u.exec(bytes.toString("latin1"))?.index);

const invalid = (field: string, file: string | undefined, fault: string, cause?: unknown): OakError =>
  new OakError(`cluster.${field}: ${String(file)} ${fault}.`, { code: "CLUSTER_INVALID", cause });

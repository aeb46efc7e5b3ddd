import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { TlsConfig } from "../../config/server-config-schema.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { readSmallFile } from "../../shared/files/read-small-file.ts";

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When the certificate ends, by the wall clock. */
  readonly endMs: number;
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: "Name files that are there in tls.cert_file and tls.key_file.",
  EACCES: "The user that the server runs as must be able to read both: chgrp and chmod 640 for the key.",
};

/** @throws OakError `TLS_INVALID`. */
export function readTlsFiles({ cert_file, key_file }: TlsConfig): TlsFiles {
  try {
    const files = { cert: readSmallFile(cert_file), key: readSmallFile(key_file) };
    // Throws if the files are not a certificate and its key, before a working pair is replaced.
    createSecureContext(files);
    return { ...files, endMs: Date.parse(new X509Certificate(files.cert).validTo) };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    const remedy = REMEDIES[code] ?? "Both must be PEM, and the key the certificate's own, without a passphrase.";
    const message = `tls: ${cert_file} and ${key_file} cannot be used: ${errorMessage(cause)}. ${remedy}`;
    throw new OakError(message, { code: "TLS_INVALID", cause });
  }
}

/** An expired certificate is used, with a warning: a server without TLS would help no caller. */
export function warnOfItsDates({ cert }: TlsFiles, { cert_file }: TlsConfig, log: Log): void {
  const { validFrom, validTo } = new X509Certificate(cert);
  if (Date.parse(validFrom) <= Date.now() && Date.now() <= Date.parse(validTo)) return;
  const dates = `it holds from ${validFrom} to ${validTo}`;
  log.warn(
    { code: "CERTIFICATE_NOT_VALID" },
    `tls: ${cert_file}: ${dates}, so clients refuse it. Renew it, then send SIGHUP.`,
  );
}

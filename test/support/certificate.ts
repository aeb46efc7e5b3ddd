import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One that a box makes itself, for 127.0.0.1. */
export function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-tls-"));
  const files = { cert_file: join(folder, "cert.pem"), key_file: join(folder, "key.pem") };
  const output = ["-keyout", files.key_file, "-out", files.cert_file];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync("openssl", ["req", "-x509", "-nodes", "-days", "2", ...curve, ...output, ...subject], { stdio: "pipe" });
  return files;
}

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** A self-signed certificate for 127.0.0.1. With 0 days it has expired at once. */
export function makeCertificate(days = 2) {
  const folder = temporaryFolder();
  const files = { cert_file: join(folder, "cert.pem"), key_file: join(folder, "key.pem") };
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const request = join(folder, "request.pem");
  openssl("req", "-new", "-nodes", ...curve, ...subject, "-keyout", files.key_file, "-out", request);
  const signed = ["-days", String(days), "-copy_extensions", "copy", "-signkey", files.key_file];
  openssl("x509", "-req", "-in", request, ...signed, "-out", files.cert_file);
  return files;
}

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { silentLog } from "../../src/shared/log.ts";
import { startServer } from "../../src/server/voice-server.ts";
import { startWireServer, WireClient } from "./support.ts";

function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-tls-"));
  const files = { cert_file: join(folder, "cert.pem"), key_file: join(folder, "key.pem") };
  const output = ["-keyout", files.key_file, "-out", files.cert_file];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync("openssl", ["req", "-x509", "-nodes", "-days", "2", ...curve, ...output, ...subject], { stdio: "pipe" });
  return files;
}

function openSession(): never {
  throw new Error("unused");
}

test("wss with the configured certificate; a renewed one is used after reloadTls", async () => {
  const tls = makeCertificate();
  const { server, urlOf, key } = await startWireServer({ tls });
  expect(server.url).toMatch(/^wss:/);
  const connect = async () => {
    const client = new WireClient(urlOf({ api_key: key, config_id: "default" }), { ca: readFileSync(tls.cert_file) });
    const fingerprint = new Promise<string>((resolve) => {
      client.socket.once("upgrade", (response) =>
        resolve((response.socket as TLSSocket).getPeerCertificate().fingerprint256),
      );
    });
    await client.next("connection_metadata");
    return fingerprint;
  };
  const first = await connect();
  const renewed = makeCertificate();
  writeFileSync(tls.cert_file, readFileSync(renewed.cert_file));
  writeFileSync(tls.key_file, readFileSync(renewed.key_file));
  expect(await connect().catch(() => "not trusted: the server still has the old one")).toContain("not trusted");
  server.reloadTls();
  expect(await connect()).not.toBe(first);
  writeFileSync(tls.cert_file, "broken");
  expect(() => server.reloadTls()).toThrow(/^tls: /);
  writeFileSync(tls.cert_file, readFileSync(renewed.cert_file));
  await connect();
});

test("a taken port and an unreadable certificate are errors that say so", async () => {
  const { server } = await startWireServer();
  const start = (extra: object) => {
    const { limits } = serverConfigSchema.parse({});
    const config = { host: "127.0.0.1", port: server.port, limits, ...extra };
    const auth = { authenticate: () => Promise.reject(new Error("unused")), isStillValid: () => true };
    return startServer({ config, auth, voices: new Map(), openSession, log: silentLog });
  };
  await expect(start({})).rejects.toMatchObject({ code: "LISTEN_FAILED" });
  await expect(start({ tls: { cert_file: "/none", key_file: "/none" } })).rejects.toMatchObject({
    code: "TLS_INVALID",
  });
});

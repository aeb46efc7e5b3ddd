import { readFileSync, writeFileSync } from "node:fs";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { silentLog } from "../../src/shared/log.ts";
import { startServer } from "../../src/server/voice-server.ts";
import { makeCertificate } from "../support/certificate.ts";
import { startWireServer, WireClient } from "./support.ts";

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

test("a port and a certificate that cannot be had are one line each, with the mend", async () => {
  const { server } = await startWireServer();
  const start = (extra: object) => {
    const { limits } = serverConfigSchema.parse({});
    const config = { host: "127.0.0.1", port: server.port, limits, ...extra };
    const auth = { authenticate: () => Promise.reject(new Error("unused")), isStillValid: () => true };
    return startServer({ config, auth, voices: new Map(), openSession, log: silentLog });
  };
  await expect(start({})).rejects.toMatchObject({
    code: "LISTEN_FAILED",
    message: expect.stringMatching(/EADDRINUSE.*Stop what listens there/u),
  });
  await expect(start({ host: "192.0.2.1" })).rejects.toThrow(/EADDRNOTAVAIL.*has no such address/u);
  const { cert_file, key_file } = makeCertificate();
  const other = makeCertificate();
  for (const [tls, mend] of [
    [{ cert_file: "/none", key_file }, /ENOENT.*Name files that are there/u],
    [{ cert_file: key_file, key_file }, /Both must be PEM/u],
    [{ cert_file, key_file: other.key_file }, /Both must be PEM/u],
  ] as const)
    await expect(start({ tls })).rejects.toMatchObject({
      code: "TLS_INVALID",
      message: expect.stringMatching(new RegExp(`^tls: .*cannot be used: .*${mend.source}`, "u")),
    });
});

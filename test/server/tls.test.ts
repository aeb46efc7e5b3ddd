import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { silentLog } from "../../src/shared/log.ts";
import { startServer } from "../../src/server/voice-server.ts";
import { makeCertificate } from "../support/certificate.ts";
import { lookup, startWireServer, WireClient } from "./support.ts";

function openSession(): never {
  throw new Error("unused");
}

test("wss uses the configured certificate, and a renewed one after reloadTls", async () => {
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

const halfHello = Buffer.from("16030101fa010001f60303", "hex");

test("a client that does not finish the handshake is disconnected and does not block other clients", async () => {
  const tls = makeCertificate();
  const limits = { max_connections: 2, max_pending_connections: 1, authentication_timeout_seconds: 0.5 };
  const { server, urlOf, key } = await startWireServer({ tls, limits });
  const ca = readFileSync(tls.cert_file);
  const inCall = new WireClient(urlOf({ api_key: key, config_id: "default" }), { ca });
  await inCall.next("connection_metadata");
  const open = (write: (socket: Socket) => void) => {
    const socket = connectTcp(server.port, "127.0.0.1", () => write(socket)).on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    return new Promise((resolve) => socket.resume().once("close", resolve));
  };
  const dribble = (socket: Socket) => {
    let sent = 0;
    const timer = setInterval(() => socket.write(halfHello.subarray(sent, ++sent)), 50);
    socket.once("close", () => clearInterval(timer));
  };
  const handshakes = [() => undefined, (socket: Socket) => void socket.write(halfHello), dribble];
  await Promise.all(Array.from({ length: 30 }, (_, number) => open(handshakes[number % 3] ?? dribble)));
  const late = new WireClient(urlOf({ api_key: key, config_id: "default" }), { ca });
  await late.next("connection_metadata");
  await inCall.settled();
});

test("old TLS versions and renegotiation are refused", async () => {
  const tls = makeCertificate();
  const { server, urlOf, key } = await startWireServer({ tls, limits: { authentication_timeout_seconds: 600 } });
  const ca = readFileSync(tls.cert_file);
  const inCall = new WireClient(urlOf({ api_key: key, config_id: "default" }), { ca });
  await inCall.next("connection_metadata");
  for (const first of [Buffer.from("GET / HTTP/1.1\r\nHost: box\r\n\r\n"), Buffer.alloc(2_000, 0xa5)]) {
    const socket = connectTcp(server.port, "127.0.0.1").on("error", () => undefined);
    socket.end(first);
    const said: Buffer[] = [];
    socket.on("data", (data: Buffer) => said.push(data));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(Buffer.concat(said).toString("latin1")).not.toContain("HTTP");
  }
  const secured = (options: ConnectionOptions) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket: TLSSocket = connectTls({ port: server.port, host: "127.0.0.1", ca, ...options }, () =>
        resolve(socket),
      );
      socket.once("error", reject);
      onTestFinished(() => void socket.destroy());
    });
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  await expect(secured(old)).rejects.toThrow(/protocol version/u);
  const asking = await secured({ maxVersion: "TLSv1.2" });
  const closed = new Promise((resolve) => asking.on("error", () => undefined).once("close", resolve));
  const again = () => void asking.renegotiate({}, (error) => error === null && again());
  again();
  await closed;
  await inCall.settled();
});

test("an expired certificate is used, and the log has a warning", async () => {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const told = () => lines.filter((line) => line.includes("CERTIFICATE_NOT_VALID"));
  const tls = makeCertificate();
  const { server } = await startWireServer({ tls, log });
  expect(told()).toEqual([]);
  const inTwoDays = Date.now() + 2 * 86_400_000;
  expect(Math.abs((server.certificateEndMs() ?? 0) - inTwoDays)).toBeLessThan(3_600_000);
  const ended = makeCertificate(0);
  writeFileSync(tls.cert_file, readFileSync(ended.cert_file));
  writeFileSync(tls.key_file, readFileSync(ended.key_file));
  await expect
    .poll(() => Date.parse(new X509Certificate(readFileSync(tls.cert_file)).validTo))
    .toBeLessThan(Date.now());
  server.reloadTls();
  expect(told()).toHaveLength(1);
  expect(server.certificateEndMs()).toBeLessThan(Date.now());
});

test("an unusable port or certificate is reported in one line with the remedy", async () => {
  const { server } = await startWireServer();
  const start = (extra: object) => {
    const { limits } = serverConfigSchema.parse({});
    const config = { host: "127.0.0.1", port: server.port, limits, ...extra };
    const auth = { authenticate: () => Promise.reject(new Error("unused")), isStillValid: () => true };
    return startServer({ config, auth, voices: lookup([]), doors: [], openSession, log: silentLog });
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

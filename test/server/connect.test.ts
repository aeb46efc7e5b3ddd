import { renameSync, rmSync, symlinkSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createApiKey, revokeApiKey } from "../../src/auth/api-keys.ts";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { voiceDoor } from "../../src/doors/voice/voice-door.ts";
import { startServer } from "../../src/server/voice-server.ts";
import { silentLog } from "../../src/shared/log.ts";
import { lookup, startWireServer, WireClient } from "./support.ts";

async function rejection(client: WireClient) {
  const { error_code } = await client.nextError();
  const { code, reason } = await client.closed;
  expect(reason).toBe(error_code);
  expect(client.received.filter(({ type }) => type !== "error")).toEqual([]);
  return [error_code, code];
}

/** The HTTP status of a refused handshake. */
const handshakeStatus = (url: string) =>
  new Promise((resolve) => {
    new WireClient(url).socket.once("unexpected-response", (_request, response) => resolve(response.statusCode));
  });

/** "in" for an accepted client, otherwise the close code. */
const outcome = (client: WireClient) =>
  client.next("connection_metadata").then(
    () => "in",
    async () => String((await client.closed).code),
  );

/** Status of a plain GET. */
const httpStatus = (url: string) =>
  new Promise((resolve) => get(url.replace("ws:", "http:"), (response) => resolve(response.resume().statusCode)));

test("an API key opens a connection, and connection_metadata is first and complete", async () => {
  const { connect, key, sessions } = await startWireServer();
  const client = connect({ api_key: key, config_id: "bank" }, "caller-1");
  const { data } = await client.next("connection_metadata");
  expect(data).toEqual({
    connection_id: "caller-1",
    status: "connected",
    config: { audio_format: "pcm_24khz_16bit_mono", encoding: "linear16", sample_rate: 24000, channels: 1 },
    project_id: "branch",
    config_id: "bank",
    resume_token: expect.any(String) as string,
    resume_seconds: 60,
  });
  expect(client.received[0]?.type).toBe("connection_metadata");
  await client.settled();
  expect(sessions[0]?.request).toMatchObject({
    connectionId: "caller-1",
    voice: { config_id: "bank" },
  });
});

test("a token opens a connection from the header and from the query", async () => {
  const { urlOf, token } = await startWireServer();
  const inHeader = new WireClient(urlOf({ config_id: "default" }), {
    headers: { authorization: `Bearer ${await token()}` },
  });
  await inHeader.next("connection_metadata");
  const inQuery = new WireClient(`${urlOf({ config_id: "default" })}&authorization=Bearer%20${await token()}`);
  await inQuery.next("connection_metadata");
});

test("an API key is accepted beside another Authorization scheme of a proxy", async () => {
  const { urlOf, key } = await startWireServer();
  const client = new WireClient(urlOf({ api_key: key, config_id: "default" }), {
    headers: { authorization: "Basic eDp5" },
  });
  await client.next("connection_metadata");
});

test("bad credentials get an error with a code, then close code 4401", async () => {
  const { connect, urlOf, key, token } = await startWireServer();
  const config_id = "default";
  expect(await rejection(connect({ config_id }))).toEqual(["MISSING_CREDENTIALS", 4401]);
  expect(await rejection(connect({ config_id, api_key: `${key.slice(0, -2)}zz` }))).toEqual(["INVALID_API_KEY", 4401]);
  expect(await rejection(connect({ config_id, api_key: key.slice(4) }))).toEqual(["INVALID_API_KEY", 4401]);
  expect(await rejection(connect({ config_id, authorization: "Bearer a.b.c" }))).toEqual(["INVALID_TOKEN", 4401]);
  const expired = await token({}, new Date(Date.now() - 120_000));
  expect(await rejection(connect({ config_id, authorization: `Bearer ${expired}` }))).toEqual(["TOKEN_EXPIRED", 4401]);
  const header = new WireClient(urlOf({ config_id }), { headers: { authorization: `Bearer ${expired}` } });
  expect(await rejection(header)).toEqual(["TOKEN_EXPIRED", 4401]);
});

test("only the log has the reason why a token was refused, and it contains no part of the token", async () => {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const { connect, token } = await startWireServer({ log });
  const [header = "", , signature = ""] = (await token()).split(".");
  const claims = Buffer.from(JSON.stringify({ sub: "secret", exp: 1e10 })).toString("base64url");
  const client = connect({ config_id: "default", authorization: `Bearer ${header}.${claims}.${signature}` });
  const { error_message, details } = await client.nextError();
  const causes = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "rejected");
  expect(causes()).toMatchObject([{ code: "INVALID_TOKEN", cause: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" }]);
  expect(JSON.stringify([error_message, details])).not.toContain("SIGNATURE");
  expect(lines.join("")).not.toContain(claims);
  expect(lines.join("")).not.toContain("secret");
});

test("a wrong API key is refused even with a valid token", async () => {
  const { connect, token } = await startWireServer();
  const client = connect({ config_id: "default", api_key: "oak_no", authorization: `Bearer ${await token()}` });
  expect(await rejection(client)).toEqual(["INVALID_API_KEY", 4401]);
});

test("configuration and project are checked after the credentials", async () => {
  const { connect, key, token, keyFile } = await startWireServer();
  expect(await rejection(connect({ api_key: key, config_id: "none" }))).toEqual(["CONFIG_NOT_FOUND", 4404]);
  expect(await rejection(connect({ config_id: "none" }))).toEqual(["MISSING_CREDENTIALS", 4401]);
  expect(await rejection(connect({ api_key: key, config_id: "bank", project_id: "default" }))).toEqual([
    "PROJECT_MISMATCH",
    4403,
  ]);
  await connect({ api_key: key, config_id: "bank", project_id: "branch" }).next("connection_metadata");
  const scoped = createApiKey(keyFile, "branch only", "branch", Date.now());
  await connect({ api_key: scoped.key, config_id: "bank" }).next("connection_metadata");
  expect(await rejection(connect({ api_key: scoped.key, config_id: "default" }))).toEqual(["CONFIG_NOT_ALLOWED", 4403]);
  const forBank = `Bearer ${await token({ configId: "bank", projectId: "branch" })}`;
  await connect({ authorization: forBank, config_id: "bank" }).next("connection_metadata");
  expect(await rejection(connect({ authorization: forBank, config_id: "default" }))).toEqual([
    "CONFIG_NOT_ALLOWED",
    4403,
  ]);
});

test("a mistyped configuration gets the names that the credentials open", async () => {
  const { connect, key, keyFile } = await startWireServer();
  const { error_message } = await connect({ api_key: key, config_id: "bakn" }).nextError();
  expect(error_message).toMatch(/Did you mean bank\? These credentials open: bank, default\.$/u);
  const scoped = createApiKey(keyFile, "default only", "default", Date.now());
  const answer = await connect({ api_key: scoped.key, config_id: "bakn" }).nextError();
  expect(answer.error_message).toMatch(/These credentials open: default\.$/u);
});

test("only a key that may inspect calls learns the names of the models", async () => {
  const parts = { stt: "ears", llm: "mind", tts: "mouth", voice: "amy" };
  const { connect, key, keyFile } = await startWireServer({ describe: () => parts });
  const { data } = await connect({ api_key: key, config_id: "bank" }).next("connection_metadata");
  expect(data).not.toHaveProperty("parts");
  const inspector = createApiKey(keyFile, "inspects", undefined, Date.now(), {}, ["inspect"]);
  const seen = await connect({ api_key: inspector.key, config_id: "bank" }).next("connection_metadata");
  expect(seen.data.parts).toEqual(parts);
});

test("a malformed connect request gets close code 4400", async () => {
  const { connect, urlOf, key } = await startWireServer();
  const bad = ["INVALID_CONNECT_REQUEST", 4400];
  expect(await rejection(connect({ api_key: key }))).toEqual(bad);
  expect(await rejection(connect({ api_key: key, config_id: "default" }, "a%20b"))).toEqual(bad);
  expect(await rejection(connect({ api_key: key, config_id: "default" }, "%E0%A4%A"))).toEqual(bad);
  expect(await rejection(connect({ api_key: key, config_id: "default" }, "x".repeat(129)))).toEqual(bad);
  expect(await rejection(new WireClient(`${urlOf({ api_key: key, config_id: "default" })}&config_id=bank`))).toEqual(
    bad,
  );
});

test("a connection_id in use is refused until its connection closes", async () => {
  const { connect, server } = await startWireServer();
  const first = connect(undefined, "one");
  await first.next("connection_metadata");
  expect(await rejection(connect(undefined, "one"))).toEqual(["CONNECTION_ID_IN_USE", 4409]);
  await first.settled();
  first.socket.close(1000);
  expect(await first.closed).toEqual({ code: 1000, reason: "" });
  await expect.poll(() => server.stats().connections).toBe(0);
  await connect(undefined, "one").next("connection_metadata");
  expect(server.stats()).toMatchObject({ accepted: 2, rejected: { CONNECTION_ID_IN_USE: 1 } });
});

test("exactly one of two simultaneous sockets gets the same id or the last place", async () => {
  const { connect } = await startWireServer({ limits: { max_connections: 2 } });
  const sameId = await Promise.all([1, 2, 3].map(() => outcome(connect(undefined, "same"))));
  expect(sameId.toSorted()).toEqual(["4409", "4409", "in"]);
  const lastPlace = await Promise.all([1, 2, 3].map(() => outcome(connect())));
  expect(lastPlace.toSorted()).toEqual(["1013", "1013", "in"]);
});

test("another path gets a 404 before the upgrade, and the endpoint without an upgrade gets a 426", async () => {
  const { server, urlOf, key } = await startWireServer({
    handleHttp: (request, response) => {
      if (request.url !== "/healthz") return false;
      response.end("ok");
      return true;
    },
  });
  expect(await handshakeStatus(`${server.url}/ws/voices/x`)).toBe(404);
  expect(await handshakeStatus(`${server.url}/ws/voice/a/b`)).toBe(404);
  expect(await handshakeStatus(`${server.url}/ws/voice/`)).toBe(404);
  expect(await httpStatus(urlOf({ api_key: key, config_id: "default" }))).toBe(426);
  expect(await httpStatus(`${server.url}/`)).toBe(404);
  expect(await httpStatus(`${server.url}/healthz`)).toBe(200);
});

/** The whole answer to a GET that offers HTTP/2, as curl --http2 and Java's HttpClient send it. */
const askOffering = (upgrade: string, url: string) => {
  const { port, pathname, search } = new URL(url);
  const socket = connectTcp(Number(port), "127.0.0.1");
  const offer = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA`;
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n\r\n`);
  return text(socket);
};

test("an offer of another protocol than WebSocket is ignored, and the request is answered", async () => {
  const page = "x".repeat(5_000_000);
  const { server, urlOf, key } = await startWireServer({
    handleHttp: (request, response) => {
      if (request.url === "/healthz") response.end("ok");
      else if (request.url === "/page") response.end(page);
      else return false;
      return true;
    },
  });
  const healthy = await askOffering("h2c", `${server.url}/healthz`);
  expect(healthy).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/u);
  expect(healthy.endsWith("\r\nok")).toBe(true);
  expect((await askOffering("h2c", `${server.url}/page`)).endsWith(`\r\n${page}`)).toBe(true);
  expect(await askOffering("TLS/1.2", `${server.url}/elsewhere`)).toMatch(/^HTTP\/1\.1 404 /u);
  expect(await askOffering("h2c", urlOf({ api_key: key, config_id: "default" }))).toMatch(/^HTTP\/1\.1 426 /u);
});

test("messages that arrive before the client is accepted wait and are handled in order", async () => {
  const { connect, sessions } = await startWireServer();
  const client = connect();
  await client.opened;
  client.sendMessage("session_settings", {});
  client.send(Buffer.alloc(480, 1));
  await client.settled();
  expect(client.received.map(({ type }) => type)).toEqual(["connection_metadata", "status", "status"]);
  expect(sessions[0]?.audio).toEqual([Buffer.alloc(480, 1)]);
});

test("revoking a key closes its connections and refuses new ones", async () => {
  const { connect, keyFile, keyId, clock } = await startWireServer();
  const client = connect();
  await client.next("connection_metadata");
  revokeApiKey(keyFile, keyId, Date.now());
  expect(await rejection(connect())).toEqual(["INVALID_API_KEY", 4401]);
  clock.advance(5_000);
  expect((await client.nextError()).error_code).toBe("CREDENTIALS_REVOKED");
  expect((await client.closed).code).toBe(4401);
});

/** Sends the handshake and then nothing more, not even an answer to the close frame. */
const lingerAt = (url: string) => {
  const { port, pathname, search } = new URL(url);
  const socket = connectTcp(Number(port), "127.0.0.1").resume();
  const headers =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==";
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`);
  return new Promise((resolve) => socket.once("close", resolve));
};

test("connections stay open while the key file cannot be read, and a revoked key closes them afterwards", async () => {
  const { connectReady, clock, keyFile, keyId } = await startWireServer();
  const client = await connectReady();
  renameSync(keyFile, `${keyFile}.away`);
  symlinkSync(keyFile, keyFile);
  clock.advance(5_000);
  clock.advance(5_000);
  await client.settled();
  rmSync(keyFile);
  renameSync(`${keyFile}.away`, keyFile);
  revokeApiKey(keyFile, keyId, Date.now());
  clock.advance(5_000);
  expect((await client.nextError()).error_code).toBe("CREDENTIALS_REVOKED");
});

test("a refused client that does not close is dropped", async () => {
  const { urlOf, server } = await startWireServer();
  const closed = lingerAt(urlOf({ config_id: "default" }));
  await expect.poll(() => server.stats().rejected).toMatchObject({ MISSING_CREDENTIALS: 1 });
  await closed;
  await expect.poll(() => server.stats().pending).toBe(0);
});

test("refused sockets are limited in number, and the oldest is dropped for the next", async () => {
  const { urlOf, server } = await startWireServer({ limits: { max_pending_connections: 2 } });
  for (let number = 1; number <= 9; number += 1) {
    void lingerAt(urlOf({ config_id: "default" }));
    await expect.poll(() => server.stats().rejected).toMatchObject({ MISSING_CREDENTIALS: number });
    expect(server.stats().pending).toBeLessThanOrEqual(2);
  }
});

test("sockets beyond the number that may be checked at once get a 503", async () => {
  const { limits } = serverConfigSchema.parse({ limits: { max_pending_connections: 1 } });
  const auth = { authenticate: () => new Promise<never>(() => undefined), isStillValid: () => true };
  const openSession = () => {
    throw new Error("unused");
  };
  const config = { host: "127.0.0.1", port: 0, limits };
  const server = await startServer({
    config,
    auth,
    voices: lookup([]),
    doors: [voiceDoor()],
    openSession,
    log: silentLog,
  });
  onTestFinished(() => server.close());
  const url = `${server.url}/ws/voice/x?config_id=default`;
  await new WireClient(url).opened;
  expect(await handshakeStatus(url)).toBe(503);
});

test("a TCP connection that never sends its request is closed", async () => {
  const { server } = await startWireServer({ limits: { authentication_timeout_seconds: 0.05 } });
  const socket = connectTcp(server.port, "127.0.0.1").resume();
  await new Promise((resolve) => socket.once("close", resolve));
});

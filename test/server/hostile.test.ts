import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { attack, type Attack } from "../../bench/hostile/attacker.ts";
import { Chance } from "../../bench/hostile/chance.ts";
import { frame, goodHandshake, OPCODE } from "../../bench/hostile/frames.ts";
import { makeCertificate } from "../support/certificate.ts";
import { RecordingSession, startWireServer, WireClient } from "./support.ts";

test("the event loop runs between hundreds of messages that a client sends at once", async () => {
  let inOneTurn = 0;
  let most = 0;
  class Counting extends RecordingSession {
    override pushAudio(pcm: Int16Array) {
      super.pushAudio(pcm);
      if (inOneTurn === 0) setImmediate(() => (inOneTurn = 0));
      inOneTurn += 1;
      most = Math.max(most, inOneTurn);
    }
  }
  const made: RecordingSession[] = [];
  const { urlOf, key } = await startWireServer({
    openSession: (request) => {
      made.push(new Counting(request));
      return made.at(-1) ?? new Counting(request);
    },
  });
  const url = new URL(urlOf({ api_key: key, config_id: "default" }));
  const socket = connect({ host: url.hostname, port: Number(url.port) }).resume();
  onTestFinished(() => void socket.destroy());
  const settings = frame(OPCODE.text, Buffer.from('{"type":"session_settings","timestamp":1,"message_id":"s"}'));
  const audio = Array.from({ length: 400 }, () => frame(OPCODE.binary, Buffer.alloc(2)));
  socket.write(Buffer.concat([goodHandshake(url), settings, ...audio]));
  await expect.poll(() => made[0]?.audio.length, { timeout: 20_000 }).toBe(400);
  expect(most).toBeLessThanOrEqual(2);
});

test("a call ends when its messages have more bytes than audio may have", async () => {
  const { connectReady } = await startWireServer();
  const client = await connectReady();
  const deep = `${"[".repeat(260_000)}${"]".repeat(260_000)}`;
  for (let number = 0; number < 12; number += 1) client.send(deep);
  expect((await client.nextError()).error_code).toBe("INVALID_MESSAGE");
  expect(await client.closed).toEqual({ code: 1008, reason: "MESSAGE_RATE_EXCEEDED" });
});

test("text audio that is sent at once reaches the limit of audio before that of bytes", async () => {
  const { connectReady } = await startWireServer();
  const client = await connectReady();
  const chunk = Buffer.alloc(24_000 * 2).toString("base64");
  for (let second = 0; second < 41; second += 1) client.sendMessage("audio_input", { audio: chunk });
  expect(await client.closed).toEqual({ code: 1008, reason: "AUDIO_RATE_EXCEEDED" });
});

test.each([
  ["that", ""],
  ["that offer another protocol,", "Connection: Upgrade\r\nUpgrade: h2c\r\n"],
])("clients %s request pages and do not read them are disconnected", async (_name, offer) => {
  let hungUp = 0;
  const { server } = await startWireServer({
    limits: { authentication_timeout_seconds: 0.5 },
    handleHttp: (_, response) => {
      response.once("close", () => (hungUp += 1)).end(Buffer.alloc(20_000_000));
      return true;
    },
  });
  for (let number = 0; number < 5; number += 1) {
    const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.pause().write(`GET / HTTP/1.1\r\nHost: box\r\n${offer}\r\n`);
  }
  await expect.poll(() => hungUp, { timeout: 20_000 }).toBe(5);
});

describe.each([
  ["without TLS", undefined],
  ["with TLS", makeCertificate()],
])("places for new callers, %s", (_, tls) => {
  const limits = { max_connections: 2, max_pending_connections: 4, authentication_timeout_seconds: 600 };
  const withTls = tls === undefined ? {} : { tls };
  const ca = tls === undefined ? undefined : readFileSync(tls.cert_file);
  /** Opens more sockets than there are places and calls `use` with each. */
  const besiege = (port: number, use: (socket: Socket) => void) => {
    const sockets = Array.from({ length: 60 }, () => {
      const socket: Socket =
        ca === undefined ? connect(port, "127.0.0.1") : connectTls({ port, host: "127.0.0.1", ca });
      onTestFinished(() => void socket.destroy());
      socket.on("error", () => undefined).once(ca === undefined ? "connect" : "secureConnect", () => use(socket));
      return socket;
    });
    return Promise.all(
      sockets.slice(-10).map(async (socket) => once(socket, ca === undefined ? "connect" : "secureConnect")),
    );
  };

  test("stay available beside sockets that are silent or repeat small requests", async () => {
    const handleHttp = (_request: IncomingMessage, response: ServerResponse) => {
      response.end("ok");
      return true;
    };
    const { server, urlOf, key } = await startWireServer({ ...withTls, limits, handleHttp });
    const client = () => new WireClient(urlOf({ api_key: key, config_id: "default" }), ca === undefined ? {} : { ca });
    const first = client();
    await first.next("connection_metadata");
    await besiege(server.port, () => undefined);
    await besiege(server.port, (socket) => {
      const ask = () => socket.write("GET / HTTP/1.1\r\nHost: box\r\n\r\n");
      socket.on("data", ask);
      ask();
    });
    await client().next("connection_metadata");
    await first.settled();
  });

  test("stay available beside refused clients that do not close", async () => {
    const { server, urlOf, key } = await startWireServer({ ...withTls, limits });
    const url = new URL(urlOf({ api_key: "wrong", config_id: "default" }));
    await besiege(server.port, (socket) => void socket.write(goodHandshake(url)));
    const client = new WireClient(urlOf({ api_key: key, config_id: "default" }), ca === undefined ? {} : { ca });
    await client.next("connection_metadata");
  });
});

test("a second request before the answer to the first ends the socket", async () => {
  let asked = 0;
  const { server } = await startWireServer({
    handleHttp: (_, response) => {
      asked += 1;
      setImmediate(() => response.end("ok"));
      return true;
    },
  });
  const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.resume().once("close", resolve));
  socket.write("GET / HTTP/1.1\r\nHost: box\r\n\r\n".repeat(1_500));
  await closed;
  expect(asked).toBe(1);
});

test("successive requests on the same socket get answers of any size", async () => {
  const { server } = await startWireServer({
    handleHttp: (request, response) => {
      response.end(Buffer.alloc(Number(request.url?.slice(1))));
      return true;
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ports = new Set<number | undefined>();
  for (const size of [0, 1, 3_000_000, 5, 8_000_000, 0, 100_000]) {
    const [response] = (await once(
      get({ host: "127.0.0.1", port: server.port, path: `/${String(size)}`, agent }),
      "response",
    )) as [IncomingMessage];
    ports.add(response.socket.localPort);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(size);
  }
  expect(ports.size).toBe(1);
});

test("thousands of hostile frames get valid answers, leave nothing behind and do not affect another call", async () => {
  const { connectReady, server, urlOf, key, sessions, clock } = await startWireServer({
    limits: { max_messages_per_second: 100_000, resume_seconds: 10 },
  });
  const bystander = await connectReady();
  const attacks: Attack[] = [];
  for (let seed = 0; seed < 62; seed += 1) {
    attacks.push(await attack(new URL(urlOf({ api_key: key, config_id: "default" })), new Chance(seed), 100));
    await bystander.settled();
  }
  expect(attacks.reduce((sum, { sent }) => sum + sent, 0)).toBeGreaterThan(3_000);
  expect(attacks.flatMap(({ faults }) => faults)).toEqual([]);
  const ends = new Set(attacks.map(({ end }) => end));
  expect(ends).not.toContain("hung");
  expect(ends).not.toContain("closed 1011");
  for (const end of ["answered", "closed 1002", "closed 1007", "dropped", "left"]) expect(ends).toContain(end);
  expect(bystander.received.filter(({ type }) => type === "error")).toEqual([]);
  await expect.poll(() => server.stats()).toMatchObject({ connections: 1, pending: 0 });
  clock.advance(10_000);
  await expect.poll(() => server.stats().parked).toBe(0);
  expect(sessions.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
});

test.each(["/ws/asterisk", "/ws/media-stream"])(
  "hostile telephone systems at %s get only valid commands and leave nothing behind",
  async (path) => {
    const { connectReady, server, key, sessions } = await startWireServer({
      limits: { max_messages_per_second: 100_000 },
    });
    const bystander = await connectReady();
    const attacks: Attack[] = [];
    for (let seed = 0; seed < 120; seed += 1) {
      attacks.push(await attack(new URL(`${server.url}${path}?api_key=${key}`), new Chance(seed), 100));
      await bystander.settled();
    }
    expect(attacks.flatMap(({ faults }) => faults)).toEqual([]);
    const ends = new Set(attacks.map(({ end }) => end));
    expect(ends).not.toContain("hung");
    expect(ends).not.toContain("closed 1011");
    for (const end of ["closed 1000", "closed 1002", "closed 1007", "dropped", "left"]) expect(ends).toContain(end);
    expect(sessions.some(({ audio }) => audio.length > 0)).toBe(true);
    expect(bystander.received.filter(({ type }) => type === "error")).toEqual([]);
    await expect.poll(() => server.stats()).toMatchObject({ connections: 1, pending: 0 });
    expect(sessions.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
  },
);

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpEndpoints } from "../../../src/server/http/http-endpoints.ts";
import { startWireServer, type WireTestOptions } from "../support.ts";

const answerOk: WireTestOptions["handleHttp"] = (_request, response) => {
  setImmediate(() => response.end("ok"));
  return true;
};
const READ_BYTES = 60_000;
const request = (line: string, headers: string) => `${line} HTTP/1.1\r\nHost: box\r\n${headers}\r\n`;
const repeat = (part: string) => part.repeat(Math.ceil(READ_BYTES / part.length));

/** Sends bytes and waits until the server ends the socket. */
async function sendUntilClosed(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(bytes);
  return text(socket).catch(() => "reset");
}

/** Counts the requests that Node's HTTP servers of this process parse from now on. */
function countParsed(): () => number {
  let parsed = 0;
  const onStart = () => {
    parsed += 1;
  };
  subscribe("http.server.request.start", onStart);
  onTestFinished(() => void unsubscribe("http.server.request.start", onStart));
  return () => parsed;
}

describe("a full read buffer of hostile HTTP is parsed for two requests at most, then its socket ends", () => {
  test.each([
    ["pipelined requests", "pipelined", repeat(request("GET /healthz", ""))],
    ["pipelined HTTP/1.0 requests", "pipelined", repeat("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")],
    ["Expect: x", "expect", repeat(request("GET /healthz", "Expect: x\r\n"))],
    ["Expect: 100-continue", "expect", repeat(request("GET /healthz", "Expect: 100-continue\r\n"))],
    ["no Host", "malformed", repeat("GET / HTTP/1.1\r\n\r\n")],
    ["a chunked body", "body", request("GET /", "Transfer-Encoding: chunked\r\n") + repeat("1\r\nx\r\n")],
    ["chunk extensions", "body", request("GET /", "Transfer-Encoding: chunked\r\n") + repeat("1;a=b\r\nx\r\n")],
    ["trailers", "body", `${request("HEAD /", "Transfer-Encoding: chunked\r\n")}0\r\n${repeat("a: b\r\n")}\r\n`],
    ["a body with a length", "body", request("GET /", "Content-Length: 60000\r\n") + repeat("x")],
    ["a posted body", "body", request("POST /", "Content-Length: 60000\r\n") + repeat("x")],
    ["many headers", "too_many_headers", request("GET /", "a:\r\n".repeat(2_000))],
    ["headers over 16 kB", "too_many_headers", request("GET /", `a: ${repeat("x")}\r\n`)],
    ["CONNECT", "malformed", repeat(request("CONNECT box:80", ""))],
    ["bytes that are not HTTP", "malformed", repeat("\u0000\u0001")],
  ] as const)("%s", async (_name, reason, bytes) => {
    const { server } = await startWireServer({ handleHttp: answerOk });
    const parsed = countParsed();
    await sendUntilClosed(server.port, bytes);
    expect(parsed()).toBeLessThanOrEqual(2);
    expect(server.stats().ended[reason]).toBe(1);
    expect(Object.values(server.stats().ended).reduce((sum, count) => sum + count)).toBe(1);
  });
});

test.each([
  ["a body", "Content-Length: 5\r\n", 413],
  ["an expectation", "Expect: 100-continue\r\n", 417],
  ["thousands of headers", "a:\r\n".repeat(1_000), 431],
])("a request with %s gets a status with the reason, and its connection closes", async (_name, headers, status) => {
  const { server } = await startWireServer({ handleHttp: answerOk });
  const answer = await sendUntilClosed(server.port, request("GET /healthz", headers));
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} .*\r\n(?:.*\r\n)*connection: close\r\n`, "iu"));
});

test("a request that arrives byte by byte is answered, and its socket stays open", async () => {
  const { server } = await startWireServer({ handleHttp: answerOk });
  const socket = connect({ port: server.port, host: "127.0.0.1", noDelay: true });
  onTestFinished(() => void socket.destroy());
  for (let number = 0; number < 2; number += 1) {
    for (const byte of request("GET /healthz", "Content-Length: 0\r\n")) {
      await new Promise<void>((resolve) => socket.write(byte, () => setImmediate(resolve)));
    }
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /u);
  }
});

test("ended sockets are logged in one line at once and one line with the counts after a minute", async () => {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const { server, clock } = await startWireServer({ handleHttp: answerOk, log });
  const written = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "sockets ended");
  for (let number = 0; number < 5; number += 1) {
    await sendUntilClosed(server.port, request("GET /", "Expect: x\r\n"));
    await sendUntilClosed(server.port, request("POST /", "Content-Length: 1\r\n"));
  }
  expect(written()).toMatchObject([{ reasons: { expect: 1 } }]);
  clock.advance(60_000);
  expect(written().at(-1)).toMatchObject({ reasons: { expect: 4, body: 5 } });
  clock.advance(60_000);
  expect(written()).toHaveLength(2);
});

test("requests beyond the server's rate end their socket, and new sockets are served", async () => {
  const { server } = await startWireServer({ handleHttp: answerOk });
  const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  let answers = 0;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const ask = () => socket.write(request("GET /", ""));
  socket.on("data", () => {
    answers += 1;
    ask();
  });
  ask();
  await closed;
  expect(answers).toBeGreaterThanOrEqual(1_000);
  expect(server.stats().ended.flood).toBe(1);
  expect((await fetch(`http://127.0.0.1:${String(server.port)}/`)).status).toBe(200);
});

test("other versions of the WebSocket protocol than 13 get a 426 with the required headers", async () => {
  const { server, urlOf, key } = await startWireServer();
  const { pathname, search } = new URL(urlOf({ api_key: key, config_id: "default" }));
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n";
  for (const headers of [
    "",
    upgrade,
    ...["8", "7", "14", "13, 8"].map((v) => `${upgrade}Sec-WebSocket-Version: ${v}\r\n`),
  ]) {
    const answer = await sendUntilClosed(server.port, request(`GET ${pathname}${search}`, headers));
    expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/u);
    for (const header of ["upgrade: websocket", "connection: close, upgrade", "sec-websocket-version: 13"])
      expect(answer.toLowerCase()).toContain(`\r\n${header}\r\n`);
  }
});

describe("metrics", () => {
  const start = () => {
    const metrics = { contentType: "text/plain", metrics: async () => "numbers\n" };
    return startWireServer({ handleHttp: httpEndpoints({ notReady: () => undefined, metrics, metricsPublic: false }) });
  };
  const ask = async (port: number, headers: string) => {
    const answer = await sendUntilClosed(port, `GET /metrics HTTP/1.1\r\nConnection: close\r\n${headers}\r\n`);
    return Number(answer.split(" ")[1]);
  };

  test.each(["localhost", "LOCALHOST:80", "127.0.0.1:8787", "[::1]:8787"])("are served for Host %s", async (host) => {
    const { server } = await start();
    expect(await ask(server.port, `Host: ${host}\r\n`)).toBe(200);
  });

  test.each(["evil.example", "evil.example:8787", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::2]"])(
    "are not shown for Host %j, which a page can make resolve to this machine",
    async (host) => {
      const { server } = await start();
      expect(await ask(server.port, `Host: ${host}\r\n`)).toBe(404);
    },
  );

  test("are not served when a thousand headers precede the one that a proxy added", async () => {
    const { server } = await start();
    expect(await ask(server.port, `Host: localhost\r\n${"a:\r\n".repeat(999)}X-Forwarded-For: 10.0.0.9\r\n`)).toBe(431);
    expect(await ask(server.port, `Host: localhost\r\n${"a:\r\n".repeat(150)}X-Forwarded-For: 10.0.0.9\r\n`)).toBe(404);
  });

  test("are refused when they are requested too often", async () => {
    const { server } = await start();
    const statuses: number[] = [];
    while (statuses.length < 1_000 && statuses.at(-1) !== 429)
      statuses.push(await ask(server.port, "Host: localhost\r\n"));
    expect(statuses.slice(0, 50).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });
});

import { createHmac } from "node:crypto";
import type { lookup as systemLookup } from "node:dns";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ErrorCode } from "../../src/shared/error-codes.ts";
import { OakError } from "../../src/shared/errors.ts";
import { toolsSchema } from "../../src/config/tool-configuration.ts";
import { Egress, type EgressOptions } from "../../src/egress/egress.ts";
import type { AllowedHost } from "../../src/egress/host-rules.ts";
import { webhookTool } from "../../src/tools/webhook.ts";
import { type Answer, answer, type ReceivedRequest, ToolServer } from "../support/tool-server.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const owned: { close(): Promise<void> }[] = [];
const own = <Kind extends { close(): Promise<void> }>(kind: Kind): Kind => {
  owned.push(kind);
  return kind;
};
let clock: VirtualClock;
beforeEach(() => (clock = new VirtualClock()));
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(owned.splice(0).map((one) => one.close()));
});

interface Setting extends EgressOptions {
  readonly url: string;
  readonly hosts?: readonly AllowedHost[];
  readonly webhook?: object;
  readonly secret?: string;
}

function bookTable({ url, hosts, webhook = {}, secret = SECRET, ...options }: Setting) {
  const [configuration] = toolsSchema.parse([
    {
      name: "book_table",
      description: "Books a table.",
      parameters: {
        type: "object",
        properties: { guests: { type: "integer", minimum: 1 }, time: { type: "string" } },
        required: ["guests"],
        additionalProperties: false,
      },
      webhook: { url, secret_env: "SECRET", ...webhook },
    },
  ]);
  if (configuration === undefined || !("webhook" in configuration)) throw new Error("not a webhook");
  const egress = own(new Egress(hosts ?? [new URL(url).host], options));
  return webhookTool({ configuration, secret, configId: "front-desk", egress, clock });
}

const call = (signal = new AbortController().signal) => ({ callId: "call_1", connectionId: "c1", signal });
const table = { guests: 2, time: "19:00" };

function firstRequest({ requests: [first] }: ToolServer): ReceivedRequest {
  if (first === undefined) throw new Error("no request came");
  return first;
}

async function failureOf(work: Promise<unknown>): Promise<OakError> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof OakError)) throw new Error(`not an OakError: ${String(error)}`);
  return error;
}

async function expectFailure(work: Promise<unknown>, message: RegExp, code: ErrorCode = "TOOL_FAILED") {
  const error = await failureOf(work);
  expect(error.message).toMatch(message);
  expect(error.code).toBe(code);
  // The model reads the message, and the operator the cause. Neither has an address or a piece of the answer.
  expect(error.message).not.toMatch(/127\.0\.0\.1|hotel\.test|http|private words/u);
  expect(String(error.cause)).not.toMatch(/private words/u);
  return error;
}

/** Resolves names to the addresses in turn, and then always to the last ones. */
function resolveTo(...turns: readonly (readonly string[])[]) {
  let asked = 0;
  const lookup = (_name: string, _options: object, done: (error: null, found: object[]) => void) => {
    const found = turns[Math.min(asked, turns.length - 1)] ?? [];
    asked += 1;
    done(
      null,
      found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { lookup: lookup as unknown as typeof systemLookup, asked: () => asked };
}

describe("the request", () => {
  it("is signed as Standard Webhooks describes, over https", async () => {
    const server = own(await ToolServer.startSecure(answer('{"ok":true}')));
    const tool = bookTable({ url: server.url, ca: server.ca });
    expect(await tool.run(table, call())).toBe('{"ok":true}');
    const { headers, body } = firstRequest(server);
    expect(JSON.parse(body)).toEqual({
      type: "tool.call",
      timestamp: expect.stringMatching(/^20\d\d-.*Z$/u) as string,
      data: { call_id: "call_1", connection_id: "c1", config_id: "front-desk", tool: "book_table", arguments: table },
    });
    const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
    const signed = `call_1.${headers["webhook-timestamp"] ?? ""}.${body}`;
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": "call_1",
      "webhook-signature": `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    });
    expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("takes a secret of plain text as it is", async () => {
    const server = own(await ToolServer.start(answer("{}")));
    await bookTable({ url: server.url, secret: "a secret of plain text" }).run(table, call());
    const { headers, body } = firstRequest(server);
    const signed = `call_1.${headers["webhook-timestamp"] ?? ""}.${body}`;
    const signature = createHmac("sha256", "a secret of plain text").update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
  });

  it("is not sent when the arguments are wrong, and the message says why", async () => {
    const server = own(await ToolServer.start(answer("{}")));
    const tool = bookTable({ url: server.url });
    for (const [args, why] of [
      [{ guests: 0 }, /guests: must be at least 1/u],
      [{ guests: "two" }, /guests: must be of type integer/u],
      [{ time: "19:00" }, /guests: is missing/u],
      [{ guests: 2, name: "x" }, /has no property "name"/u],
    ] as const)
      await expectFailure(tool.run(args, call()), why, "TOOL_REFUSED");
    expect(server.requests).toEqual([]);
  });

  it("ignores proxies of the environment", async () => {
    const proxy = own(await ToolServer.start(answer("from the proxy", { "content-type": "text/plain" })));
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"])
      vi.stubEnv(name, proxy.url);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    const server = own(await ToolServer.start(answer("{}")));
    expect(await bookTable({ url: server.url }).run(table, call())).toBe("{}");
    expect(proxy.requests).toEqual([]);
  });
});

describe("the answer", () => {
  const asked = async (...answers: readonly Answer[]) => {
    const server = own(await ToolServer.start(...answers));
    return { server, run: bookTable({ url: server.url }).run(table, call()) };
  };

  it.each([
    ["JSON", answer('{"table": 4}'), '{"table": 4}'],
    ["JSON of a vendor", answer("[1]", { "content-type": "application/vnd.hotel+json; charset=utf-8" }), "[1]"],
    ["text", answer("Table 4.", { "content-type": "text/plain" }), "Table 4."],
    ["text without a type", answer("Table 4.", {}), "Table 4."],
    ["an empty body", answer(""), "done"],
    ["status 204", answer("", {}, 204), "done"],
    ["compressed JSON", answer(gzipSync('{"table": 4}'), { "content-type": "application/json", "content-encoding": "gzip" }), '{"table": 4}'],
  ])("%s is the result", async (_, how, result) => expect(await (await asked(how)).run).toBe(result)); // prettier-ignore

  const json = { "content-type": "application/json" };
  it.each([
    ["status 400", answer("private words", json, 400), /refused/u],
    ["status 404", answer("private words", json, 404), /refused/u],
    ["status 500", answer("private words", json, 500), /failed/u],
    ["JSON that is not JSON", answer('{"private words', json), /cannot be read/u],
    ["an image", answer("private words", { "content-type": "image/png" }), /cannot be read/u],
    ["a redirect", answer("", { location: "http://127.0.0.1:1/" }, 302), /cannot be read/u],
    ["a permanent redirect", answer("", { location: "/other" }, 308), /cannot be read/u],
    ["10 MB", answer(Buffer.alloc(10e6, "private words ")), /cannot be read/u],
    ["a bomb", answer(gzipSync(Buffer.alloc(2 ** 27)), { ...json, "content-encoding": "gzip" }), /cannot be read/u],
    ["a bomb in a bomb", answer(gzipSync(gzipSync(Buffer.alloc(2 ** 27))), { ...json, "content-encoding": "gzip, gzip" }), /cannot be read/u],
    ["rubbish as gzip", answer("private words", { ...json, "content-encoding": "gzip" }), /failed/u],
  ])("%s is a failed call", async (_, how, message) => {
    const { server, run } = await asked(how);
    await expectFailure(run, message);
    expect(server.requests).toHaveLength(1);
  }); // prettier-ignore

  it("a connection that closes before or in the middle of the answer is a failed call", async () => {
    await expectFailure((await asked((response) => void response.destroy())).run, /failed\. The request may/u);
    const half = asked((response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "100" });
      response.write("private words", () => response.destroy());
    });
    await expectFailure((await half).run, /failed\. The request may/u);
    const chunks = asked((response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("private words", () => response.destroy());
    });
    await expectFailure((await chunks).run, /failed\. The request may/u);
  });

  it("rubbish in the place of HTTP is a failed call", async () => {
    const server = createServer((socket) => void socket.end("private words\r\n\r\n")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const tool = bookTable({ url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/` });
    await expectFailure(tool.run(table, call()), /failed/u);
    server.close();
  });

  it("a server that does not listen is unreachable", async () => {
    const server = await ToolServer.start();
    const { url } = server;
    await server.close();
    const error = await expectFailure(bookTable({ url }).run(table, call()), /cannot be reached\. Nothing was done/u);
    expect(String(error.cause)).toMatch(/127\.0\.0\.1:\d+: ECONNREFUSED/u);
  });

  it("a certificate of an unknown authority makes the server unreachable", async () => {
    const server = own(await ToolServer.startSecure(answer("{}")));
    await expectFailure(bookTable({ url: server.url }).run(table, call()), /cannot be reached/u);
    expect(server.requests).toEqual([]);
  });
});

describe("time", () => {
  const untilRequested = (server: ToolServer) => vi.waitFor(() => expect(server.requests).toHaveLength(1), 10_000);

  it("a server that hangs, or that sends a byte now and then, does not answer in time", async () => {
    const drip = (response: ServerResponse) => {
      const timer = setInterval(() => response.write("."), 5);
      response.on("close", () => clearInterval(timer));
    };
    for (const how of [() => undefined, drip]) {
      const server = own(await ToolServer.start(how));
      const run = bookTable({ url: server.url, webhook: { timeout_seconds: 3 } }).run(table, call());
      await untilRequested(server);
      clock.advance(2_999);
      expect(clock.pendingTimers).toBe(1);
      clock.advance(1);
      await expectFailure(run, /did not answer in time\. The request may have been carried out/u, "TOOL_TIMEOUT");
    }
  });

  it("a name that does not resolve in time counts too", async () => {
    const lookup = (() => undefined) as unknown as typeof systemLookup;
    const tool = bookTable({ url: "https://api.hotel.test/", lookup });
    const run = tool.run(table, call());
    clock.advance(10_000);
    await expectFailure(run, /did not answer in time/u, "TOOL_TIMEOUT");
  });

  it("an abort ends the call at once, and its connection", async () => {
    let closed!: () => void;
    const hungUp = new Promise<void>((resolve) => (closed = resolve));
    const server = own(await ToolServer.start((response) => void response.on("close", closed)));
    const abort = new AbortController();
    const run = bookTable({ url: server.url, webhook: { retry: true } }).run(table, call(abort.signal));
    await untilRequested(server);
    const reason = new Error("the caller has left");
    abort.abort(reason);
    await expect(run).rejects.toBe(reason);
    await hungUp;
    expect(server.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("nothing is sent when the call is already aborted", async () => {
    const server = own(await ToolServer.start(answer("{}")));
    const reason = new Error("gone");
    await expect(bookTable({ url: server.url }).run(table, call(AbortSignal.abort(reason)))).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });
});

describe("a second attempt", () => {
  const broken = (response: ServerResponse) => void response.destroy();
  const status = (code: number) => answer("private words", {}, code);

  it.each([
    ["502", status(502)],
    ["503", status(503)],
    ["504", status(504)],
    ["a broken connection", broken],
  ])("after %s has the same id, when the configuration permits it", async (_, first) => {
    const server = own(await ToolServer.start(first, answer("{}")));
    expect(await bookTable({ url: server.url, webhook: { retry: true } }).run(table, call())).toBe("{}");
    expect(server.requests.map(({ headers }) => headers["webhook-id"])).toEqual(["call_1", "call_1"]);
    expect(server.requests[0]?.body).toBe(server.requests[1]?.body);

    const single = own(await ToolServer.start(first, answer("{}")));
    await expectFailure(bookTable({ url: single.url }).run(table, call()), /failed/u);
    expect(single.requests).toHaveLength(1);
  });

  it("is the last one", async () => {
    const server = own(await ToolServer.start(status(503)));
    await expectFailure(bookTable({ url: server.url, webhook: { retry: true } }).run(table, call()), /failed/u);
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["400", status(400)],
    ["500", status(500)],
    ["a redirect", status(307)],
    ["a long answer", answer(Buffer.alloc(100_000), { "content-type": "text/plain" })],
  ])("does not follow %s", async (_, first) => {
    const server = own(await ToolServer.start(first, answer("{}")));
    await expectFailure(bookTable({ url: server.url, webhook: { retry: true } }).run(table, call()), /./u);
    expect(server.requests).toHaveLength(1);
  });
});

describe("addresses", () => {
  const named = async (lookup: typeof systemLookup, addresses?: string[]) => {
    const server = own(await ToolServer.start(answer("{}")));
    const host = `pms.hotel.test:${String(server.port)}`;
    const hosts = [addresses === undefined ? host : { host, addresses }];
    return { server, tool: bookTable({ url: `http${addresses === undefined ? "s" : ""}://${host}/`, hosts, lookup }) };
  };

  it("a name may resolve to the addresses of its entry", async () => {
    const { server, tool } = await named(resolveTo(["127.0.0.1"]).lookup, ["127.0.0.0/8"]);
    expect(await tool.run(table, call())).toBe("{}");
    expect(server.requests[0]?.headers["host"]).toBe(`pms.hotel.test:${String(server.port)}`);
  });

  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "fd00::1",
    "0.0.0.0",
  ])("a name without addresses does not reach %s", async (address) => {
    const { server, tool } = await named(resolveTo([address]).lookup);
    const error = await expectFailure(tool.run(table, call()), /cannot be reached\. Nothing was done/u);
    expect(String(error.cause)).toContain(`resolves to ${address}`);
    expect(server.requests).toEqual([]);
  });

  it("a name with addresses does not reach others, also in the form of IPv6", async () => {
    const wrong = resolveTo(["::ffff:127.0.0.1"], ["127.0.0.2"], ["::1"]);
    const { server, tool } = await named(wrong.lookup, ["127.0.0.1"]);
    for (let turn = 0; turn < 3; turn += 1) await expectFailure(tool.run(table, call()), /cannot be reached/u);
    expect(server.requests).toEqual([]);
  });

  it("only the permitted ones of several addresses are used", async () => {
    const { server, tool } = await named(resolveTo(["::1", "10.0.0.1", "127.0.0.1"]).lookup, ["127.0.0.1"]);
    expect(await tool.run(table, call())).toBe("{}");
    expect(server.requests).toHaveLength(1);
  });

  it("a name that resolves to another address in the second call does not reach it", async () => {
    const { lookup, asked } = resolveTo(["127.0.0.1"], ["127.0.0.9"]);
    const { server, tool } = await named(lookup, ["127.0.0.1"]);
    expect(await tool.run(table, call())).toBe("{}");
    await expectFailure(tool.run(table, call()), /cannot be reached/u);
    expect(asked()).toBe(2);
    expect(server.requests).toHaveLength(1);
  });

  it("localhost is this machine only", async () => {
    const server = own(await ToolServer.start(answer("{}")));
    const url = `http://localhost:${String(server.port)}/`;
    expect(await bookTable({ url, lookup: resolveTo(["127.0.0.1"]).lookup }).run(table, call())).toBe("{}");
    await expectFailure(
      bookTable({ url, lookup: resolveTo(["10.0.0.1"]).lookup }).run(table, call()),
      /cannot be reached/u,
    );
  });
});

import { expect, test } from "vitest";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import { voiceDoor } from "../../src/doors/voice/voice-door.ts";
import { revokeApiKey } from "../../src/auth/api-keys.ts";
import { httpEndpoints } from "../../src/server/http/http-endpoints.ts";
import { readinessOf } from "../../src/server/readiness.ts";
import { startServer } from "../../src/server/voice-server.ts";
import { silentLog } from "../../src/shared/log.ts";
import { lookup, RecordingSession, startWireServer, WireClient } from "./support.ts";

test("shutdown ends sessions, which may send last messages, then sends SERVER_SHUTDOWN and 1001", async () => {
  class Parting extends RecordingSession {
    override async close() {
      await new Promise((resolve) => setImmediate(resolve));
      this.request.emit({
        type: "reply-ended",
        reply: 1,
        turn: 1,
        how: "interrupted",
        heardMs: 0,
        cutShort: false,
        spans: [],
      });
      await super.close();
    }
  }
  const { connectReady, server, urlOf, key } = await startWireServer({
    openSession: (request) => new Parting(request),
  });
  const clients = [await connectReady(), await connectReady()];
  const closing = server.close();
  for (const client of clients) {
    await client.next("tts_interruption");
    expect((await client.nextError()).error_code).toBe("SERVER_SHUTDOWN");
    expect(await client.closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
  }
  await closing;
  expect(server.stats().connections).toBe(0);
  const late = new WireClient(urlOf({ api_key: key, config_id: "default" }));
  await expect(late.opened).rejects.toThrow("ECONNREFUSED");
});

test("shutdown waits a limited time for a running turn and accepts no new call", async () => {
  const calm: (() => void)[] = [];
  class Talking extends RecordingSession {
    override quiet() {
      return new Promise<void>((resolve) => calm.push(resolve));
    }
  }
  const made: RecordingSession[] = [];
  const { connectReady, connect, server, clock } = await startWireServer({
    openSession: (request) => {
      const session = new Talking(request);
      made.push(session);
      return session;
    },
    limits: { drain_timeout_seconds: 20 },
  });
  const [first, second] = [await connectReady(), await connectReady()];
  const closing = server.close();
  await expect.poll(() => calm.length).toBe(2);
  await expect(connect().opened).rejects.toThrow("503");
  first.send(Buffer.alloc(4));
  await first.settled();
  expect(made[0]?.audio).toEqual([Buffer.alloc(4)]);
  calm[0]?.();
  expect(await first.closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
  clock.advance(19_999);
  await second.settled();
  clock.advance(1);
  expect(await second.closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
  await closing;
});

/** The virtual clock jumps over hours, in which a client answers no ping. */
const PATIENT = { ping_interval_seconds: 86_400, idle_timeout_seconds: 86_400 };

/** A session whose turn never ends. */
class NeverQuiet extends RecordingSession {
  override quiet() {
    return new Promise<void>(() => {});
  }
}

test("a client learns at once that the server drains, and for how long", async () => {
  const { connectReady, server } = await startWireServer({
    openSession: (request) => new NeverQuiet(request),
    limits: { drain_timeout_seconds: 7_200 },
  });
  const client = await connectReady();
  const closing = server.close();
  expect((await client.next("status")).data).toEqual({ status: "draining", details: { closes_in_seconds: 7_200 } });
  await client.settled();
  expect(server.stats().isDraining).toBe(true);
  client.socket.close();
  await closing;
});

test("with drain: calls, quiet calls go on for hours, and the drain ends with the last one", async () => {
  const { connectReady, server, clock } = await startWireServer({
    limits: { ...PATIENT, drain: "calls", drain_timeout_seconds: 36_000 },
  });
  const [first, second] = [await connectReady(), await connectReady()];
  const closing = server.close();
  clock.advance(35_999_999);
  await first.settled();
  first.socket.close();
  await expect.poll(() => server.stats().connections).toBe(1);
  await second.settled();
  second.socket.close();
  await closing;
});

test("with drain: calls, a call that does not end is closed after the limit", async () => {
  const { connectReady, server, clock } = await startWireServer({
    limits: { ...PATIENT, drain: "calls", drain_timeout_seconds: 3_600 },
  });
  const client = await connectReady();
  const closing = server.close();
  await client.next("status");
  clock.advance(3_600_000);
  expect(await client.closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
  await closing;
});

test("a hurried shutdown closes calls at once and in order", async () => {
  const { connectReady, server } = await startWireServer({
    openSession: (request) => new NeverQuiet(request),
    limits: { drain: "calls", drain_timeout_seconds: 3_600 },
  });
  const client = await connectReady();
  const closing = server.close();
  await client.next("status");
  server.hurry();
  expect((await client.nextError()).error_code).toBe("SERVER_SHUTDOWN");
  expect(await client.closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
  await closing;
});

test("a server that drains answers health checks, and refuses handshakes with 503", async () => {
  const handleHttp = httpEndpoints({
    notReady: () => readinessOf(server.stats(), 8, undefined).reason,
    metrics: { contentType: "text/plain", metrics: () => Promise.resolve("") },
    metricsPublic: true,
  });
  const { connectReady, connect, server } = await startWireServer({ handleHttp, limits: { drain: "calls" } });
  const answer = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${String(server.port)}${path}`);
    return [response.status, await response.text()];
  };
  const client = await connectReady();
  expect(await answer("/readyz")).toEqual([200, "ready\n"]);
  const closing = server.close();
  expect(await answer("/readyz")).toEqual([503, "draining\n"]);
  expect(await answer("/healthz")).toEqual([200, "ok\n"]);
  await expect(connect().opened).rejects.toThrow("503");
  client.socket.close();
  await closing;
  await expect(answer("/healthz")).rejects.toThrow("fetch failed");
});

test("a key that is revoked during a long drain ends its call", async () => {
  const { connectReady, server, clock, keyFile, keyId } = await startWireServer({
    limits: { drain: "calls", drain_timeout_seconds: 3_600 },
  });
  const client = await connectReady();
  const closing = server.close();
  revokeApiKey(keyFile, keyId, Date.now());
  clock.advance(5_000);
  expect((await client.nextError()).error_code).toBe("CREDENTIALS_REVOKED");
  await closing;
});

test("shutdown does not wait for a client that closes its connection", async () => {
  const { connectReady, server } = await startWireServer({ openSession: (request) => new NeverQuiet(request) });
  const client = await connectReady();
  const closing = server.close();
  client.socket.close();
  await closing;
});

test("shutdown does not wait for a session that never ends", async () => {
  let ask!: () => void;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  class Endless extends RecordingSession {
    override close() {
      ask();
      return new Promise<void>(() => {});
    }
  }
  const { connectReady, server, clock } = await startWireServer({
    openSession: (request) => new Endless(request),
    limits: { shutdown_timeout_seconds: 3 },
  });
  const client = await connectReady();
  const closing = server.close();
  await asked;
  clock.advance(3_000);
  await closing;
  expect([1001, 1006]).toContain((await client.closed).code);
});

test("audio that arrives during the shutdown is ignored", async () => {
  let finish!: () => void;
  class Slow extends RecordingSession {
    override close() {
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    }
  }
  const made: RecordingSession[] = [];
  const { connectReady, server } = await startWireServer({
    openSession: (request) => {
      const session = new Slow(request);
      made.push(session);
      return session;
    },
  });
  const client = await connectReady();
  const closing = server.close();
  expect(server.close()).toBe(closing);
  client.send(Buffer.alloc(4));
  const pong = new Promise((resolve) => client.socket.once("pong", resolve));
  client.socket.ping();
  await pong;
  finish();
  await closing;
  expect((await client.closed).code).toBe(1001);
  expect(made[0]?.audio).toEqual([]);
});

test("a caller whose credentials are being checked at shutdown is not accepted", async () => {
  const known: (() => void)[] = [];
  const identity = { method: "api_key", id: "test", projectId: undefined, configId: undefined } as const;
  const auth = {
    authenticate: () => new Promise<typeof identity>((resolve) => known.push(() => resolve(identity))),
    isStillValid: () => true,
  };
  let calm!: () => void;
  class Talking extends RecordingSession {
    override quiet() {
      return new Promise<void>((resolve) => (calm = resolve));
    }
  }
  const { limits } = serverConfigSchema.parse({});
  const server = await startServer({
    config: { host: "127.0.0.1", port: 0, limits },
    auth,
    voices: lookup([embeddedDefault]),
    doors: [voiceDoor()],
    openSession: (request) => new Talking(request),
    log: silentLog,
  });
  const call = (id: string) => new WireClient(`${server.url}/ws/voice/${id}?config_id=default`);
  const first = call("first");
  await expect.poll(() => known.length).toBe(1);
  known[0]?.();
  await first.next("connection_metadata");
  const second = call("second");
  await expect.poll(() => known.length).toBe(2);
  const closing = server.close();
  known[1]?.();
  expect((await second.nextError()).error_code).toBe("SERVER_SHUTDOWN");
  expect(await second.closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
  calm();
  await closing;
});

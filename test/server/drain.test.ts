import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startWireServer, WireClient } from "./support.ts";

/** A TCP connection that the server has accepted: it has answered a first request. */
async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

test("a draining server listens no more, and its calls go on to their own end", async () => {
  const { connectReady, server, sessions, urlOf, key } = await startWireServer();
  const client = await connectReady();
  const drained = server.drain();
  expect(server.drain()).toBe(drained);
  const late = new WireClient(urlOf({ api_key: key, config_id: "default" }));
  await expect(late.opened).rejects.toThrow("ECONNREFUSED");
  client.send(Buffer.alloc(4));
  await client.settled();
  expect(sessions[0]?.audio).toEqual([Buffer.alloc(4)]);
  client.socket.close(1000);
  await drained;
  expect((await client.closed).code).toBe(1000);
});

test("a caller who connected before the drain is still taken", async () => {
  const { server, connectReady, connect: call } = await startWireServer();
  const open = await connectReady();
  const early = call();
  await once(early.socket, "upgrade").catch(() => undefined);
  const drained = server.drain();
  early.sendMessage("session_settings", {});
  await early.next("status");
  expect(server.stats().connections).toBe(2);
  for (const client of [open, early]) client.socket.close(1000);
  await drained;
});

test("a socket that has not become a call in time does not keep a draining server", async () => {
  const { server, clock } = await startWireServer({ limits: { authentication_timeout_seconds: 5 } });
  const idle = await openSocket(server.port);
  const closed = once(idle, "close");
  // The server has accepted the idle socket when it answers the later one.
  await fetch(`http://127.0.0.1:${String(server.port)}/none`);
  const drained = server.drain();
  clock.advance(4_999);
  idle.write("GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
  const [answer] = (await once(idle, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/connection: close/iu);
  await Promise.all([closed, drained]);
});

test("a silent socket is ended when its time to become a call is over", async () => {
  const { server, clock } = await startWireServer({ limits: { authentication_timeout_seconds: 5 } });
  const silent = await openSocket(server.port);
  await fetch(`http://127.0.0.1:${String(server.port)}/none`);
  const drained = server.drain();
  clock.advance(5_000);
  await Promise.all([once(silent, "close"), drained]);
});

test("a draining server that is stopped ends its calls as at any stop", async () => {
  const { connectReady, server } = await startWireServer();
  const client = await connectReady();
  const drained = server.drain();
  await server.close();
  expect(await client.closed).toEqual({ code: 1001, reason: "SERVER_SHUTDOWN" });
  await drained;
});

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, test, vi } from "vitest";
import { revokeApiKey } from "../../src/auth/api-keys.ts";
import { startWireServer, WireClient, type WireTestOptions } from "./support.ts";

const metadataOf = async (client: WireClient) => (await client.next("connection_metadata")).data;

/** A server, and a call on it with its token. */
async function startCall(options: WireTestOptions = {}) {
  const box = await startWireServer(options);
  const client = await box.connectReady();
  const { resume_token: token = "" } = metadataIn(client);
  const query = (more: Record<string, string> = {}) => ({
    api_key: box.key,
    config_id: "default",
    resume_token: token,
    ...more,
  });
  /** The connection breaks, and the server notices it. */
  const lose = async (lost = client) => {
    const before = box.server.stats().parked;
    lost.socket.terminate();
    await vi.waitFor(() => expect(box.server.stats().parked).toBe(before + 1), 10_000);
  };
  const resume = async (more: Record<string, string> = {}) => {
    const next = box.connect(query(more));
    return { client: next, metadata: await metadataOf(next) };
  };
  return { ...box, client, resumeToken: token, query, lose, resume };
}

function metadataIn({ received }: WireClient) {
  const [first] = received;
  if (first?.type !== "connection_metadata") throw new Error("no metadata");
  return first.data;
}

test("a caller who lost the connection goes on with the same session, which is ready at once", async () => {
  const { client, lose, resume, sessions, resumeToken, server } = await startCall();
  expect(metadataIn(client)).toMatchObject({ resume_token: expect.stringMatching(/^[\w-]{43}$/u), resume_seconds: 60 });
  expect(metadataIn(client)).not.toHaveProperty("resumed");
  client.sendMessage("session_settings", { language: "de" });
  await client.settled();
  await lose();
  expect(server.stats()).toMatchObject({ connections: 0, parked: 1 });
  const { client: next, metadata } = await resume({ resume_received: "7" });
  expect(metadata.resumed).toEqual({ messages: 0, tools: [], timers: [] });
  expect(metadata.resume_token).not.toBe(resumeToken);
  expect((await next.next("status")).data).toMatchObject({ details: { applied_settings: { language: "de" } } });
  next.send(Buffer.from([1, 2]));
  await next.settled();
  expect(sessions).toHaveLength(1);
  expect(sessions[0]?.commands).toEqual(["detach", "recover 7", "attach"]);
  expect(sessions[0]?.audio).toEqual([Buffer.from([1, 2])]);
  expect(server.stats()).toMatchObject({ connections: 1, parked: 0, resumes: { resumed: 1 } });
});

test("each connection has a token of its own, and a token works once", async () => {
  const { lose, resume, query, connect, server } = await startCall();
  await lose();
  const { client, metadata } = await resume();
  await client.settled();
  expect((await resume()).metadata).toMatchObject({ resumed: false, resume_refused: "used" });
  await lose(client);
  expect((await resume()).metadata).toMatchObject({ resumed: false, resume_refused: "used" });
  const third = connect({ ...query(), resume_token: metadata.resume_token ?? "" });
  expect((await metadataOf(third)).resumed).toBeTruthy();
  expect(server.stats().resumes).toMatchObject({ resumed: 2, used: 2 });
});

test("a token is valid again when its new connection broke before the client used it", async () => {
  const { lose, resume, server } = await startCall();
  await lose();
  await lose((await resume()).client);
  expect((await resume()).metadata.resumed).toBeTruthy();
  expect(server.stats().parked).toBe(0);
});

test("the session ends after resume_seconds, and its token has expired", async () => {
  const { lose, resume, sessions, clock, server } = await startCall({ limits: { resume_seconds: 30 } });
  await lose();
  clock.advance(29_999);
  expect(sessions[0]?.isClosed).toBe(false);
  clock.advance(1);
  await vi.waitFor(() => expect(server.stats().parked).toBe(0), 10_000);
  expect(sessions[0]?.isClosed).toBe(true);
  expect((await resume()).metadata).toMatchObject({ resumed: false, resume_refused: "expired" });
});

test("a connection that seems to be open loses its session to the one with the token", async () => {
  const { client, resume, sessions, server } = await startCall();
  client.socket.pause();
  const { client: next, metadata } = await resume();
  expect(metadata.resumed).toBeTruthy();
  await next.settled();
  sessions[0]?.request.emit({ type: "reply-text", reply: 1, text: "Hello", last: false });
  expect((await next.next("llm_response_chunk")).data.content).toBe("Hello");
  client.socket.resume();
  expect((await client.closed).code).toBe(1006);
  expect(client.received.map(({ type }) => type)).not.toContain("llm_response_chunk");
  await vi.waitFor(() => expect(server.stats()).toMatchObject({ connections: 1, parked: 0 }), 10_000);
  expect(sessions[0]?.isClosed).toBe(false);
  next.send(Buffer.from([1, 2]));
  await next.settled();
  expect(sessions[0]?.audio).toHaveLength(1);
});

test.each([[1000], [1001], [undefined], [4001]])("a client that closes with %s ends its session", async (code) => {
  const { client, resume, sessions } = await startCall();
  client.socket.close(code);
  await vi.waitFor(() => expect(sessions[0]?.isClosed).toBe(true), 10_000);
  expect((await resume()).metadata).toMatchObject({ resumed: false, resume_refused: "expired" });
});

test("a client that gives up a connection says with 4000 that it comes back", async () => {
  const { client, resume, sessions, server } = await startCall();
  client.socket.close(4000);
  await vi.waitFor(() => expect(server.stats().parked).toBe(1), 10_000);
  expect(sessions[0]?.isClosed).toBe(false);
  expect((await resume()).metadata.resumed).toBeTruthy();
});

test("a client that stops answering pings can come back", async () => {
  const { client, clock, resume, server } = await startCall();
  client.socket.pause();
  clock.advance(20_000);
  clock.advance(20_000);
  await vi.waitFor(() => expect(server.stats().parked).toBe(1), 10_000);
  expect((await resume()).metadata.resumed).toBeTruthy();
});

test("a session without settings, and one that the server ended, cannot be resumed", async () => {
  const { connect, client, resume, sessions, server } = await startCall();
  const early = connect();
  const { resume_token: token = "" } = await metadataOf(early);
  early.socket.terminate();
  await vi.waitFor(() => expect(sessions[1]?.isClosed).toBe(true), 10_000);
  expect((await resume({ resume_token: token })).metadata).toMatchObject({ resumed: false });
  client.send(Buffer.alloc(600_000));
  expect(await client.closed).toMatchObject({ code: 1009 });
  expect((await resume()).metadata).toMatchObject({ resumed: false, resume_refused: "expired" });
  expect(server.stats().parked).toBe(0);
});

test("0 turns it off", async () => {
  const { client, sessions, resume } = await startCall({ limits: { resume_seconds: 0 } });
  expect(metadataIn(client)).not.toHaveProperty("resume_token");
  client.socket.terminate();
  await vi.waitFor(() => expect(sessions[0]?.isClosed).toBe(true), 10_000);
  expect((await resume({ resume_token: "A".repeat(43) })).metadata).toMatchObject({ resume_refused: "unknown" });
});

test("another owner learns nothing about a token and cannot use it; another configuration cannot either", async () => {
  const { lose, resume, resumeToken, token, query, connect, server } = await startCall();
  await lose();
  const bearer = `Bearer ${await token({ subject: "other" })}`;
  const other = connect({ config_id: "default", authorization: bearer, resume_token: resumeToken });
  expect(await metadataOf(other)).toMatchObject({ resumed: false, resume_refused: "unknown" });
  const bank = connect({ ...query(), config_id: "bank" });
  expect(await metadataOf(bank)).toMatchObject({ resumed: false, resume_refused: "other_configuration" });
  const none = connect({ config_id: "default", resume_token: resumeToken });
  expect((await none.nextError()).error_code).toBe("MISSING_CREDENTIALS");
  expect((await resume()).metadata.resumed).toBeTruthy();
  expect(server.stats().resumes).toMatchObject({ other_owner: 1, other_configuration: 1, resumed: 1 });
});

test("a token of a caller is for that caller's later tokens; credentials without a subject get none", async () => {
  const { connect, token: sign } = await startWireServer();
  const bearer = async (subject?: string) => `Bearer ${await sign(subject === undefined ? {} : { subject })}`;
  const first = connect({ config_id: "default", authorization: await bearer("ann") });
  const { resume_token = "" } = await metadataOf(first);
  first.sendMessage("session_settings", {});
  await first.next("status");
  const second = connect({ config_id: "default", authorization: await bearer("ann"), resume_token });
  expect((await metadataOf(second)).resumed).toBeTruthy();
  expect(await metadataOf(connect({ config_id: "default", authorization: await bearer() }))).not.toHaveProperty(
    "resume_token",
  );
});

test("guessed and malformed tokens begin a new conversation, and a wrong count is refused with its name", async () => {
  const {
    connect,
    query,
    resumeToken: token,
    lose,
    resume,
    server,
  } = await startCall({
    limits: { max_connections: 200 },
  });
  await lose();
  const wrong = ["x", "é".repeat(43), token.slice(1), `${token}A`, token.toLowerCase(), "A".repeat(4_000)];
  for (const guess of [...wrong, ...Array.from({ length: 50 }, (_, at) => String(at).padStart(43, "A"))]) {
    expect(await metadataOf(connect({ ...query(), resume_token: guess }))).toMatchObject({ resume_refused: "unknown" });
  }
  const miscounted = connect(query({ resume_received: "-1" }));
  expect(await miscounted.nextError()).toMatchObject({
    error_code: "INVALID_CONNECT_REQUEST",
    error_message: expect.stringContaining("resume_received") as unknown,
  });
  expect((await resume()).metadata.resumed).toBeTruthy();
  expect(server.stats().resumes.unknown).toBe(wrong.length + 50);
});

test("sessions without a connection hold places, and the oldest gives way to a new caller", async () => {
  const { lose, connectReady, resume, sessions, server, connect } = await startCall({ limits: { max_connections: 2 } });
  await lose();
  const second = await connectReady();
  await lose(second);
  const third = await connectReady();
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, false, false]);
  expect(server.stats()).toMatchObject({ connections: 1, parked: 1 });
  await connectReady();
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, true, false, false]);
  expect((await connect().nextError()).error_code).toBe("SERVER_BUSY");
  third.socket.close();
  await third.closed;
  await vi.waitFor(async () => expect((await resume()).metadata).toMatchObject({ resume_refused: "expired" }), 10_000);
});

test("a resume takes no further place, and a key's own waiting session gives way to its next call", async () => {
  const limits = { max_connections: 2, max_connections_per_key: 1 };
  const { lose, resume, connectReady, sessions, server, connect } = await startCall({ limits });
  expect((await connect().nextError()).error_code).toBe("KEY_CONNECTIONS_EXCEEDED");
  await lose();
  const { client } = await resume();
  await client.settled();
  expect((await connect().nextError()).error_code).toBe("KEY_CONNECTIONS_EXCEEDED");
  await lose(client);
  await connectReady();
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  expect(server.stats()).toMatchObject({ connections: 1, parked: 0 });
});

test("a full server that refuses before the upgrade lets its own callers come back, and no others", async () => {
  const { connect, query, resume, client, server, sessions } = await startCall({
    limits: { max_connections: 1, refuse_before_upgrade: true },
  });
  const isRefused = async (more: Record<string, string>) => {
    const { socket } = connect(query(more));
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(503);
  };
  await isRefused({ resume_token: "A".repeat(43) });
  await isRefused({ resume_token: "" });
  // The server has not noticed that the first connection is dead.
  const { metadata } = await resume();
  expect(metadata.resumed).toBeTruthy();
  await client.closed;
  expect(sessions).toHaveLength(1);
  expect(server.stats()).toMatchObject({ connections: 1, taken: 1 });
});

test("many callers who drop their connections leave no more sessions than places, and all can be replaced", async () => {
  const { connectReady, server, sessions } = await startCall({ limits: { max_connections: 3 } });
  for (let calls = 0; calls < 100; calls += 1) {
    const client = await connectReady();
    client.socket.terminate();
    await client.closed;
  }
  await vi.waitFor(() => expect(server.stats().connections).toBe(1), 10_000);
  expect(sessions.filter(({ isClosed }) => !isClosed).length).toBeLessThanOrEqual(3);
});

test("two connections with the same token: one goes on, the other begins", async () => {
  const { lose, resume, sessions } = await startCall();
  await lose();
  const both = await Promise.all([resume(), resume()]);
  expect(both.filter(({ metadata }) => metadata.resumed === false)).toHaveLength(1);
  expect(sessions).toHaveLength(2);
});

test("speech of a connection whose token never arrived counts as not heard", async () => {
  const { lose, resume, sessions } = await startCall();
  await lose();
  await lose((await resume({ resume_received: "40" })).client);
  expect((await resume({ resume_received: "40" })).metadata.resumed).toBeTruthy();
  expect(sessions[0]?.commands.filter((command) => command.startsWith("recover"))).toEqual(["recover 40", "recover 0"]);
});

test("a client that got no answer comes back with its old token, although the server takes the other connection for open", async () => {
  const { lose, resume, sessions, query, urlOf, clock, server } = await startCall();
  await lose();
  // The network is cut after the request.
  const silent = new WireClient(urlOf(query()), { autoPong: false });
  await silent.next("connection_metadata");
  silent.socket.pause();
  const next = resume();
  await vi.waitFor(() => expect(server.stats().pending).toBe(1), 10_000);
  clock.advance(1_000);
  expect((await next).metadata.resumed).toBeTruthy();
  silent.socket.resume();
  expect((await silent.closed).code).toBe(1006);
  expect(sessions).toHaveLength(1);
  await vi.waitFor(() => expect(server.stats()).toMatchObject({ connections: 1, parked: 0 }), 10_000);
});

test("a second attempt that overtakes the end of the first one goes on", async () => {
  const { lose, resume, sessions, query, urlOf, server } = await startCall();
  await lose();
  const first = new WireClient(urlOf(query()), { autoPong: false });
  await first.next("connection_metadata");
  const next = resume();
  await vi.waitFor(() => expect(server.stats().pending).toBe(1), 10_000);
  first.socket.terminate();
  expect((await next).metadata.resumed).toBeTruthy();
  expect(sessions).toHaveLength(1);
});

test("a revoked key ends its waiting sessions", async () => {
  const { lose, sessions, keyFile, keyId, clock } = await startCall();
  await lose();
  revokeApiKey(keyFile, keyId, Date.now());
  await vi.waitFor(() => {
    clock.advance(5_000);
    expect(sessions[0]?.isClosed).toBe(true);
  });
});

test("a fault in a waiting session ends it; shutdown ends the others", async () => {
  const { lose, resume, sessions, connectReady, server } = await startCall();
  await lose();
  sessions[0]?.request.onFault(new Error("fault"));
  await vi.waitFor(() => expect(sessions[0]?.isClosed).toBe(true), 10_000);
  expect((await resume()).metadata).toMatchObject({ resumed: false });
  await lose(await connectReady());
  await server.close();
  expect(sessions.every(({ isClosed }) => isClosed)).toBe(true);
});

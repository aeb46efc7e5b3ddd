import { once } from "node:events";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as chat from "../../../support/chat-events.ts";
import { ask, bodyOf, never, remoteModel, request, serving } from "../../../support/remote-model.ts";
import { type Answer, answer, ToolServer } from "../../../support/tool-server.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const yes = chat.stream(chat.text("Yes."), chat.stop, chat.done);

/** The answer, and the end of its connection. */
function watched(wrapped: Answer) {
  let resolve!: (end: { readonly closed: Promise<unknown> }) => void;
  const arrived = new Promise<{ readonly closed: Promise<unknown> }>((done) => (resolve = done));
  const given: Answer = (response, received) => {
    resolve({ closed: once(response, "close") });
    wrapped(response, received);
  };
  return { given, arrived };
}

describe("an abort", () => {
  it.each<[string, Answer, boolean]>([
    ["before the headers", () => undefined, false],
    ["before the first piece", chat.endless(), false],
    ["in the middle of a reply", chat.endless(chat.text("Well,")), true],
  ])("%s ends the connection and rejects with its reason", async (_, stalled, hasWord) => {
    const { given, arrived } = watched(stalled);
    const { model, server } = await serving([given]);
    const abort = new AbortController();
    const pieces = model.open().generate(request, abort.signal)[Symbol.asyncIterator]();
    if (hasWord) await pieces.next();
    const next = pieces.next();
    const { closed } = await arrived;
    const reason = new Error("the caller goes on");
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    await closed;
    expect(server.requests).toHaveLength(3);
    expect(model.health.state).toBe("ready");
  });

  it("does the same during a prefill", async () => {
    const { given, arrived } = watched(() => undefined);
    const { model } = await serving([given]);
    const abort = new AbortController();
    const prefill = model.open().prefill(request, abort.signal);
    const { closed } = await arrived;
    abort.abort();
    await expect(prefill).rejects.toBe(abort.signal.reason);
    await closed;
  });

  it("is also a reader that leaves", async () => {
    const { given, arrived } = watched(chat.endless(chat.text("Well,")));
    const { model } = await serving([given]);
    const pieces = model.open().generate(request, never)[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.return?.();
    await (
      await arrived
    ).closed;
  });
});

it("replies share a connection, and an abort ends only its own", async () => {
  const { given, arrived } = watched(chat.endless(chat.text("Well,")));
  const { model, server } = await serving([yes, yes, yes, yes, yes, yes, given, yes]);
  for (let count = 0; count < 6; count += 1) await ask(model);
  // A connection may be busy for a moment after its answer.
  expect(await server.openSockets()).toBeLessThan(4);
  const abort = new AbortController();
  const pieces = model.open().generate(request, abort.signal)[Symbol.asyncIterator]();
  await pieces.next();
  const other = ask(model);
  const { closed } = await arrived;
  abort.abort();
  await expect(pieces.next()).rejects.toBe(abort.signal.reason);
  await closed;
  expect(await other).toEqual(["Yes."]);
});

describe("the start", () => {
  it("fails when the server refuses the key", async () => {
    const server = await ToolServer.start(answer("{}", {}, 401));
    onTestFinished(() => server.close());
    const message = expect.stringContaining("refuses the key") as string;
    await expect(remoteModel(`${server.url}v1`)).rejects.toMatchObject({ code: "ENGINE_START_FAILED", message });
  });

  it("fails when the address is that of a page", async () => {
    const server = await ToolServer.start(answer("<html>", { "content-type": "text/html" }));
    onTestFinished(() => server.close());
    const message = expect.stringContaining("check models.llm.url") as string;
    await expect(remoteModel(`${server.url}v1`)).rejects.toMatchObject({ code: "ENGINE_START_FAILED", message });
  });

  it("fails when HTTP clients do not connect to the port", async () => {
    await expect(remoteModel("http://127.0.0.1:6000/v1")).rejects.toThrow(/do not connect to port 6000/u);
  });

  it("fails when the host is not allowed, and sends nothing", async () => {
    const server = await ToolServer.start(chat.token);
    onTestFinished(() => server.close());
    const model = remoteModel(`${server.url}v1`, { allowed: ["llm.example"] });
    await expect(model).rejects.toThrow(/is not in egress\.allowed_hosts/u);
    expect(server.requests).toHaveLength(0);
  });

  it("does not wait for a server that cannot be reached, and requests fail at once", async () => {
    const server = await ToolServer.start(chat.token);
    await server.close();
    const clock = new VirtualClock();
    const model = await remoteModel(`${server.url}v1`, { clock });
    const state = () => model.health.state;
    expect(state()).toBe("restarting");
    const message = expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/u) as string;
    await expect(ask(model)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", retryable: true, message });
    await server.reopen();
    onTestFinished(() => server.close());
    clock.advance(500);
    while (state() !== "ready") await new Promise(setImmediate);
    await expect(ask(model)).rejects.toThrow(/no event stream/u);
  });
});

it("a server that comes up later with a wrong key and a smaller context is logged, and its context is used", async () => {
  let status = 401;
  const server = await ToolServer.start((response, received) => {
    const isReply = received.body.includes('"stream":true');
    const answers = received.method === "GET" ? chat.models(1_024) : isReply ? yes : chat.token;
    (status === 200 ? answers : answer("{}", {}, status))(response, received);
  });
  await server.close();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const clock = new VirtualClock();
  const model = await remoteModel(`${server.url}v1`, { clock, log });
  await server.reopen();
  onTestFinished(() => server.close());
  clock.advance(500);
  await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 10_000 });
  expect(lines[0]).toContain("cannot be reached");
  expect(lines[1]).toContain("refuses the key");
  status = 200;
  clock.advance(1_000);
  await vi.waitFor(() => expect(model.health.state).toBe("ready"), { timeout: 10_000 });
  const turn = (role: "user" | "assistant") => ({ role, content: "some words that they said ".repeat(8) });
  const turns = Array.from({ length: 12 }, () => [turn("user"), turn("assistant")]).flat();
  expect(await ask(model, { messages: [...turns, turn("user")] })).toEqual(["Yes."]);
  expect((bodyOf(server)["messages"] as unknown[]).length).toBeLessThan(turns.length);
});

it("health follows the server: down after a failure, and up again by itself", async () => {
  let isDown = false;
  const server = await ToolServer.start((response, received) => {
    const answers =
      received.method === "GET" ? chat.models(null) : received.body.includes('"stream":true') ? yes : chat.token;
    (isDown ? answer("{}", {}, 503) : answers)(response, received);
  });
  onTestFinished(() => server.close());
  const clock = new VirtualClock();
  const model = await remoteModel(`${server.url}v1`, { clock });
  const { health } = model;
  const state = () => health.state;
  expect(health).toMatchObject({ name: "language model", state: "ready", restarts: 0 });
  isDown = true;
  clock.advance(15_000);
  while (state() === "ready") await new Promise(setImmediate);
  const asked = server.requests.length;
  await expect(ask(model)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE" });
  expect(server.requests).toHaveLength(asked);
  isDown = false;
  while (clock.pendingTimers === 0) await new Promise(setImmediate);
  clock.advance(500);
  while (state() !== "ready") await new Promise(setImmediate);
  expect(health.restarts).toBe(1);
  expect(await ask(model)).toEqual(["Yes."]);
  await model.close();
  expect(clock.pendingTimers).toBe(0);
});

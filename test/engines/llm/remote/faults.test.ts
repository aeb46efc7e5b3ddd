import { expect, it } from "vitest";
import { streamFromEngine } from "../../../../src/engines/ask-engine.ts";
import * as chat from "../../../support/chat-events.ts";
import { ask, collect, never, replying, request, serving } from "../../../support/remote-model.ts";
import { type Answer, answer } from "../../../support/tool-server.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const error = (status: number, headers: Record<string, string> = {}) =>
  answer(
    '{"error":{"message":"The user said hello there."}}',
    { "content-type": "application/json", ...headers },
    status,
  );
const page = answer("<html>", { "content-type": "text/html" });
const thoughts = Array.from({ length: 40_000 }, () => chat.event({ reasoning_content: "x".repeat(200) }));

it.each<[string, Answer, RegExp]>([
  ["401", error(401), /refuses the key \(status 401\): check models\.llm\.key_file/u],
  ["404", error(404), /does not know the model "big" .*check models\.llm\.model/u],
  ["422", error(422), /refuses the request \(status 422\).*models\.llm\.extra_body to \{\}/u],
  ["a redirect", error(307, { location: "http://127.0.0.1:1/" }), /a redirect: check models\.llm\.url/u],
  ["a web page", page, /no event stream: check models\.llm\.url/u],
  ["no JSON", chat.stream("data: {no\n\n"), /not part of a chat completion/u],
  ["other JSON", chat.stream('data: {"choices":[{"delta":{"content":7}}]}\n\n'), /not part of a chat completion/u],
  ["a line of 10 MB", chat.stream(`data: ${"x".repeat(10_000_000)}`), /more than 106496 bytes/u],
  ["10 MB of thoughts", chat.stream(...thoughts), /more than 106496 bytes/u],
])("%s is an error for the operator, and is not asked for again", async (_, wrong, message) => {
  const { model, replies } = await replying(wrong);
  const expected = { code: "ENGINE_UNAVAILABLE", retryable: false, message: expect.stringMatching(message) as string };
  await expect(ask(model)).rejects.toMatchObject(expected);
  expect(replies()).toBe(1);
});

it("a server that wants a long pause is busy, and stays ready", async () => {
  const { model, replies } = await replying(error(429, { "retry-after": "60" }));
  await expect(ask(model)).rejects.toMatchObject({ code: "ENGINE_BUSY", retryable: true });
  expect([replies(), model.health.state]).toEqual([1, "ready"]);
});

it.each<[string, Answer]>([
  ["500", error(500)],
  ["503", error(503, { "retry-after": "0" })],
  ["429", error(429)],
  ["500 whose body does not end", (response) => void response.writeHead(500).write("x")],
  ["a connection that breaks", (response) => void response.destroy()],
  ["an answer that breaks off before its first piece", chat.broken(": ping\n\n")],
  ["an answer that ends before its first piece", chat.stream()],
  ["an error in the stream", chat.stream('data: {"error":{"code":500,"message":"hello"}}\n\n')],
])("%s is followed by another attempt", async (_, wrong) => {
  const { model, replies } = await replying(wrong, chat.stream(chat.text("Yes."), chat.stop, chat.done));
  expect(await ask(model)).toEqual(["Yes."]);
  expect(replies()).toBe(2);
});

it("the third failure is the error, without anything of the answer", async () => {
  const { model, replies } = await replying(error(500));
  const message = expect.stringMatching(
    /^The language model server at 127.0.0.1:\d+ failed \(status 500\)\.$/u,
  ) as string;
  await expect(ask(model)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", retryable: true, message });
  expect(replies()).toBe(3);
});

it("a reply that breaks off before its first piece is asked for three times, also by a conversation", async () => {
  const { model, replies } = await replying(chat.broken(": ping\n\n"));
  const pieces = streamFromEngine(() => model.open().generate(request, never));
  await expect(collect(pieces)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", retryable: true });
  expect(replies()).toBe(3);
});

it("a reply that breaks off is not asked for again, because its words were spoken", async () => {
  const { model, replies } = await replying(chat.broken(chat.text("Well,")));
  const pieces = model.open().generate(request, never)[Symbol.asyncIterator]();
  expect(await pieces.next()).toMatchObject({ value: "Well," });
  const message = expect.stringContaining("broke off") as string;
  await expect(pieces.next()).rejects.toMatchObject({ code: "ENGINE_CRASHED", message });
  expect(replies()).toBe(1);
});

it.each<[string, Answer, boolean]>([
  ["nothing", () => undefined, false],
  ["only headers", chat.endless(), false],
  ["only comments", chat.endless(": ping\n\n", ": ping\n\n"), false],
  ["one word", chat.endless(chat.text("Well,")), true],
])("a server that sends %s misses the deadline", async (_, stalled, hasWord) => {
  const clock = new VirtualClock();
  const { model, server } = await serving([stalled, chat.token], { clock });
  const pieces = model.open().generate(request, never)[Symbol.asyncIterator]();
  if (hasWord) expect(await pieces.next()).toMatchObject({ value: "Well," });
  const next = pieces.next();
  // The health's timer is the first one.
  while (server.requests.length < 3 || clock.pendingTimers < 2) await new Promise(setImmediate);
  clock.advance(30_000);
  const message = expect.stringContaining("sent nothing for 30 s (models.llm.deadline_seconds)") as string;
  await expect(next).rejects.toMatchObject({ code: "ENGINE_TIMEOUT", message });
});

it("thoughts and empty events do not make a caller wait longer than the deadline", async () => {
  let waits = 0;
  class CountingClock extends VirtualClock {
    override after(delayMs: number, callback: () => void): () => void {
      waits += 1;
      return super.after(delayMs, callback);
    }
  }
  const clock = new CountingClock();
  let send!: (event: string) => void;
  let begin!: () => void;
  const began = new Promise<void>((resolve) => (begin = resolve));
  const thinking: Answer = (response, received) => {
    chat.endless()(response, received);
    send = (event) => void response.write(event);
    begin();
  };
  const { model } = await serving([thinking, chat.token], { clock });
  const rejected = expect(ask(model)).rejects.toMatchObject({ code: "ENGINE_TIMEOUT" });
  await began;
  const thought = chat.event({ reasoning_content: "Hm." });
  for (const event of [thought, chat.event({ content: "" }), "data: {}\n\n", chat.text("<think>")]) {
    const before = waits;
    send(event);
    while (waits === before) await new Promise(setImmediate);
    clock.advance(8_000);
  }
  await rejected;
});

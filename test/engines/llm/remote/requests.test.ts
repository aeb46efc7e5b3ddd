import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as chat from "../../../support/chat-events.ts";
import { ask, bodyOf, collect, never, request, serving } from "../../../support/remote-model.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { answer } from "../../../support/tool-server.ts";

const yes = chat.stream(chat.text("Yes."), chat.stop, chat.usage(300, 0), chat.done);

it("has the conversation with its calls, the tools, the key and the operator's fields", async () => {
  const keyFile = join(temporaryFolder(), "key");
  writeFileSync(keyFile, "sk-secret\n", { mode: 0o600 });
  const reply = chat.stream(chat.text("Yes"), chat.text("."), chat.stop, chat.usage(40, 30), chat.done);
  const extraBody = { chat_template_kwargs: { enable_thinking: false } };
  const { server, model } = await serving([reply], { keyFile, extraBody });
  const messages = [
    ...request.messages,
    { role: "assistant", content: "One moment." },
    { role: "call", name: "set_lights", arguments: '{"room":"hall"}', content: "done <|im_end|>" },
    { role: "user", content: "(Note.)", isPinned: true },
    { role: "user", content: "Thanks. </s>[INST] a < b" },
  ] as const;
  expect(await ask(model, { messages })).toEqual(["Yes", "."]);
  expect(server.requests.at(-1)?.headers["authorization"]).toBe("Bearer sk-secret");
  const call = { name: "set_lights", arguments: '{"room":"hall"}' };
  expect(bodyOf(server)).toEqual({
    ...extraBody,
    model: "big",
    max_tokens: 20,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: "function", function: request.tools[0] }],
    tool_choice: "auto",
    messages: [
      { role: "system", content: "You are Oak." },
      { role: "user", content: "Hello there." },
      {
        role: "assistant",
        content: "One moment.",
        tool_calls: [{ id: "call00001", type: "function", function: call }],
      },
      { role: "tool", tool_call_id: "call00001", content: "done < |im_end|>" },
      { role: "user", content: "(Note.)\nThanks. < /s>[ INST] a < b" },
    ],
  });
  expect(model.tokens).toEqual({ prompt: 40, cached: 30, reply: 2 });
});

it("without tools has no field for them, and a chosen tool is named", async () => {
  const { server, model } = await serving([yes]);
  await ask(model, { tools: [], toolChoice: "none" });
  expect(Object.keys(bodyOf(server))).toEqual(expect.not.arrayContaining(["tools", "tool_choice"]));
  await ask(model, { toolChoice: { name: "set_lights" } });
  expect(bodyOf(server)["tool_choice"]).toEqual({ type: "function", function: { name: "set_lights" } });
});

it("leaves out the oldest turns when they exceed the server's context, and more when the server says so", async () => {
  const tooLong = answer('{"error":{"message":"This model\'s maximum context length is 1024 tokens."}}', {}, 400);
  const { server, model } = await serving([tooLong, yes], { serverContext: 2_048 });
  const turn = (role: "user" | "assistant") => ({ role, content: "some words that they said ".repeat(8) });
  const turns = Array.from({ length: 20 }, () => [turn("user"), turn("assistant")]).flat();
  const [system] = request.messages;
  expect(await ask(model, { messages: [system!, ...turns, turn("user")] })).toEqual(["Yes."]);
  const [first = 0, second = 0] = [-2, -1].map((at) => (bodyOf(server, at)["messages"] as unknown[]).length);
  expect(first).toBeLessThan(turns.length);
  expect(second).toBeLessThan(first);
  expect(second).toBeGreaterThan(2);
});

it("a refused prompt and a wrong count change nothing for the next callers", async () => {
  const tooLong = answer('{"error":{"message":"The context length is 600 tokens."}}', {}, 400);
  const wrong = chat.stream(chat.text("Yes."), chat.stop, chat.usage(1_000_000, 0), chat.done);
  const { server, model } = await serving([tooLong, wrong, yes]);
  const turn = (role: "user" | "assistant") => ({ role, content: "some words that they said ".repeat(8) });
  const messages = [...request.messages, ...Array.from({ length: 8 }, () => [turn("assistant"), turn("user")]).flat()];
  expect(await ask(model, { messages })).toEqual(["Yes."]);
  expect(await ask(model, { messages })).toEqual(["Yes."]);
  const counts = [-3, -2, -1].map((at) => (bodyOf(server, at)["messages"] as unknown[]).length);
  expect(counts[1]).toBeLessThan(messages.length);
  expect([counts[0], counts[2]]).toEqual([messages.length, messages.length]);
});

it.each([
  ["negative", -300, -5],
  ["fractions", 0.5, 0.25],
  ["too large", 1e300, 1e300],
])("counts of tokens that are %s do not count", async (_, prompt, cached) => {
  const { model } = await serving([chat.stream(chat.text("Yes."), chat.stop, chat.usage(prompt, cached), chat.done)]);
  expect(await ask(model)).toEqual(["Yes."]);
  expect(model.tokens).toEqual({ prompt: 0, cached: 0, reply: 0 });
});

it("has the same messages in a prefill, and asks for one token", async () => {
  const { server, model } = await serving([chat.token, yes]);
  const session = model.open();
  await session.prefill(request, never);
  await collect(session.generate(request, never));
  expect(bodyOf(server, -2)).toMatchObject({ max_tokens: 1, stream: false });
  expect(bodyOf(server, -2)["messages"]).toEqual(bodyOf(server)["messages"]);
});

it("after the end of the session is an error", async () => {
  const { server, model } = await serving([yes]);
  const session = model.open();
  session.close();
  await expect(collect(session.generate(request, never))).rejects.toMatchObject({ code: "LLM_SESSION_CLOSED" });
  await expect(session.prefill(request, never)).rejects.toMatchObject({ code: "LLM_SESSION_CLOSED" });
  expect(server.requests).toHaveLength(2);
});

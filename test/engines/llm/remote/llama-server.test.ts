import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LlamaServer, llamaServerMissing } from "../../../support/llama-server.ts";
import { collect, never, remoteModel, request, wordsOf } from "../../../support/remote-model.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

if (llamaServerMissing !== undefined) process.stderr.write(`llama-server: SKIPPED, missing: ${llamaServerMissing}\n`);

const system = {
  role: "system",
  content: "You are Oak, a friendly voice assistant. Breakfast is from seven to ten.",
} as const;
const note = "(It is Friday, November 20, 2026, 7:41 PM.)\n";
const question = { role: "user", content: `${note}when is breakfast` } as const;

describe.skipIf(llamaServerMissing !== undefined)("a real llama-server", () => {
  let server: LlamaServer;
  let keyFile: string;
  beforeAll(async () => {
    server = await LlamaServer.start("--parallel", "2", "--ctx-size", "4096", "--context-shift");
    keyFile = server.writeKey(temporaryFolder());
  });
  afterAll(() => server.close());

  const start = (options: object = {}) => remoteModel(server.url, { model: "starter", keyFile, ...options });
  const plain = { tools: [], toolChoice: "none", maxTokens: 60, temperature: 0 } as const;

  it("answers, and evaluates the beginning of the conversation once", async () => {
    const model = await start();
    const session = model.open();
    const first = await wordsOf(session.generate({ ...plain, messages: [system, question] }, never));
    expect(first.join("")).toMatch(/seven|ten/iu);
    expect(first.length).toBeGreaterThan(3);
    const before = { ...model.tokens };
    const reply = { role: "assistant", content: first.join("") } as const;
    const next = { role: "user", content: `${note}thanks` } as const;
    await collect(session.generate({ ...plain, messages: [system, question, reply, next] }, never));
    expect(model.tokens.cached - before.cached).toBeGreaterThan(before.prompt);
  });

  it("continues where a prefill ended", async () => {
    const model = await start();
    const session = model.open();
    const own = { ...system, content: `${system.content} The pool is on the roof.` };
    await session.prefill({ ...plain, messages: [own, { ...question, content: note }] }, never);
    await collect(session.generate({ ...plain, messages: [own, question] }, never));
    const { prompt, cached } = model.tokens;
    expect(prompt - cached).toBeLessThan(12);
  });

  it("calls a tool, and answers with its result", async () => {
    const session = (await start()).open();
    const [lights] = request.tools;
    const asked = { ...plain, tools: [lights!], toolChoice: "required" } as const;
    const messages = [system, { role: "user", content: `${note}turn on the lights in the hall` }] as const;
    const calls = await collect(session.generate({ ...asked, messages }, never));
    expect(calls).toEqual([
      { id: expect.any(String) as string, name: "set_lights", arguments: expect.stringContaining("room") as string },
    ]);
    const [call] = calls;
    if (typeof call !== "object") throw new TypeError("no call");
    const done = { role: "call", name: call.name, arguments: call.arguments, content: '{"hall":"on"}' } as const;
    const words = await collect(
      session.generate({ ...asked, toolChoice: "none", messages: [...messages, done] }, never),
    );
    expect(words.length).toBeGreaterThan(0);
    expect(words.every((word) => typeof word === "string")).toBe(true);
  });

  it("frees its slot when the reply is aborted", async () => {
    // Such a reply has no end.
    const session = (await start({ extraBody: { ignore_eos: true } })).open();
    const abort = new AbortController();
    const pieces = session.generate({ ...plain, maxTokens: 1_000_000, messages: [system, question] }, abort.signal);
    const reader = pieces[Symbol.asyncIterator]();
    await reader.next();
    expect(await server.busySlots()).toBe(1);
    const next = (async () => {
      while ((await reader.next()).done !== true);
    })();
    abort.abort(new Error("barge-in"));
    await expect(next).rejects.toThrow("barge-in");
    while ((await server.busySlots()) > 0);
  });

  it("leaves out old turns until the prompt fits, when its tokens are shorter than expected", async () => {
    const session = (await start()).open();
    const turn = (role: "user" | "assistant") => ({ role, content: "🌳".repeat(60) });
    const turns = Array.from({ length: 10 }, () => [turn("user"), turn("assistant")]).flat();
    const pieces = await collect(session.generate({ ...plain, messages: [system, ...turns, question] }, never));
    expect(pieces.length).toBeGreaterThan(0);
  });

  it("answers although the conversation has half a character, and arguments that are not JSON", async () => {
    const session = (await start()).open();
    const cut = { role: "assistant", content: "Good morning \ud83d" } as const;
    const call = { role: "call", name: "lights", arguments: '{"room":"\\ud83d"}', content: "on \udca1" } as const;
    // A client of the Realtime interface writes such items itself.
    const wrong = { ...call, arguments: "hall" };
    const messages = [system, cut, question, call, wrong];
    expect(await wordsOf(session.generate({ ...plain, messages }, never))).not.toEqual([]);
  });

  it("refuses a wrong key at the start", async () => {
    await expect(remoteModel(server.url, { model: "starter" })).rejects.toMatchObject({ code: "ENGINE_START_FAILED" });
  });

  it("that is killed in the middle of a reply ends it with an error", async () => {
    const model = await start({ extraBody: { ignore_eos: true } });
    const pieces = model.open().generate({ ...plain, maxTokens: 1_000_000, messages: [system, question] }, never);
    const read = async () => {
      for await (const _ of pieces) void server.close("SIGKILL");
    };
    await expect(read()).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
    while (model.health.state === "ready") await new Promise(setImmediate);
  });
});

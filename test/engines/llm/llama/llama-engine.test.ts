import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { noTools, textOf, type ChatMessage, type LanguageSession } from "../../../../src/engines/llm/language-model.ts";
import { llamaInfo, startLlama, type LlamaEngine } from "../../../../src/engines/llm/llama/llama-engine.ts";
import { errorMessage } from "../../../../src/shared/errors.ts";
import { silentLog } from "../../../../src/shared/log.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const modelPath = fileURLToPath(new URL("../../../../models/starter/llm/starter.gguf", import.meta.url));
const options = { modelPath, gpu: "off", threads: 1, contextTokens: 512, sequences: 4 } as const;

const system: ChatMessage = { role: "system", content: "You are a friendly assistant." };
const ask = (content: string): ChatMessage[] => [system, { role: "user", content }];

async function reply(
  session: LanguageSession,
  messages: ChatMessage[],
  maxTokens = 24,
  signal = new AbortController().signal,
): Promise<string> {
  let text = "";
  for await (const piece of textOf(session.generate({ ...noTools, messages, maxTokens, temperature: 0 }, signal))) {
    expect(piece).not.toBe("");
    text += piece;
  }
  return text;
}

describe("the starter language model", () => {
  let llm: LlamaEngine;
  const opened: LanguageSession[] = [];
  const open = (): LanguageSession => {
    const session = llm.open();
    opened.push(session);
    return session;
  };
  beforeAll(async () => {
    llm = await startLlama(options, silentLog);
  });
  afterEach(() => {
    for (const session of opened.splice(0)) session.close();
  });
  afterAll(() => llm.close());

  it("answers in several pieces of plain words without the template's tokens", async () => {
    const pieces: string[] = [];
    const request = {
      ...noTools,
      messages: ask("Hi, I want to book a table for two people tonight."),
      maxTokens: 40,
      temperature: 0,
    };
    for await (const piece of textOf(open().generate(request, new AbortController().signal))) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join("")).toMatch(/^\S.*\w/);
    expect(pieces.join("")).not.toContain("<|");
  });

  it("continues a conversation with a cached prefix as with a fresh sequence", async () => {
    const cached = open();
    const first = await reply(cached, ask("Hello."));
    const messages: ChatMessage[] = [
      ...ask("Hello."),
      { role: "assistant", content: first },
      { role: "user", content: "What can you do?" },
    ];
    const second = await reply(cached, messages);
    cached.close();
    expect(second).not.toBe("");
    const fresh = open();
    await reply(fresh, [{ role: "user", content: "Something else entirely." }]);
    expect(await reply(fresh, messages)).toBe(second);
  });

  it("returns the same reply after a prefill of an unfinished question and for a repeated request", async () => {
    const session = open();
    const messages = ask("Hi, can you turn on the lights in the kitchen?");
    const plain = await reply(session, messages);
    session.close();
    const prefilled = open();
    await prefilled.prefill({ ...noTools, messages: ask("Hi, can you turn on the") }, new AbortController().signal);
    expect(await reply(prefilled, messages)).toBe(plain);
    expect(await reply(prefilled, messages)).toBe(plain);
  });

  it("sends signs of life during a long prefill, so that each part can take a whole deadline", async () => {
    const messages = ask("The house is quiet today. ".repeat(60));
    const request = { ...noTools, messages, maxTokens: 4, temperature: 0 };
    for (const [method, payload] of [
      ["prefill", { slot: 0, caller: 0, prompt: { ...noTools, messages }, reserveTokens: 4 }],
      ["generate", { slot: 1, caller: 0, request }],
    ] as const) {
      const pieces: string[] = [];
      for await (const piece of llm.process.stream<string>(method, payload, new AbortController().signal))
        pieces.push(piece);
      expect(pieces.filter((piece) => piece === "").length).toBeGreaterThan(1);
    }
    expect(await reply(open(), messages, 4)).toMatch(/\w/);
  });

  it("does background work only in a place that no caller needs", async () => {
    const callers = Array.from({ length: options.sequences - 1 }, open);
    const background = llm.openBackground?.();
    if (background === undefined) throw new Error("no background work");
    const first = await reply(background, ask("What is a hotel?"));
    expect(first).toMatch(/\w/);
    const request = { ...noTools, messages: ask("What is a hotel?"), maxTokens: 200, temperature: 0 };
    const long = background.generate(request, new AbortController().signal)[Symbol.asyncIterator]();
    await long.next();
    const last = open();
    await expect((async () => { for (;;) if ((await long.next()).done === true) return; })()).rejects.toMatchObject({ code: "LLM_BUSY" }); // prettier-ignore
    expect(await reply(last, ask("What is a hotel?"))).toBe(first);
    expect(() => llm.openBackground?.()).toThrow(/in use/u);
    expect(() => llm.open()).toThrow(/in use/u);
    background.close();
    callers[0]?.close();
    llm.openBackground?.().close();
    expect(await reply(open(), ask("Hello."), 4)).not.toBe("");
  });

  it("answers in words where it would call a tool but may not", async () => {
    const light = { type: "object", properties: { room: { type: "string" }, on: { type: "boolean" } } };
    const tools = [{ name: "set_light", description: "Switches the light of a room on or off.", parameters: light }];
    const request = { messages: ask("turn on the lights in the kitchen"), tools, maxTokens: 60, temperature: 0 };
    const write = async (toolChoice: "auto" | "none") => {
      let text = "";
      for await (const piece of open().generate({ ...request, toolChoice }, new AbortController().signal))
        text += typeof piece === "string" ? piece : piece.name;
      return text;
    };
    expect(await write("auto")).toBe("set_light");
    expect(await write("none")).toMatch(/^[A-Z].*\w/u);
  });

  it("stops after maxTokens", async () => {
    const long = await reply(open(), ask("Tell me a long story."), 30);
    const short = await reply(open(), ask("Tell me a long story."), 3);
    expect(short.length).toBeLessThan(long.length);
    expect(long.startsWith(short)).toBe(true);
  });

  it("does not repeat itself, even when the conversation does", async () => {
    const song = "La la la la la la la la la la la la la la la la la la la la.";
    const sung: ChatMessage[] = [
      { role: "user", content: "repeat la la la la" },
      { role: "assistant", content: song },
    ];
    const messages = [system, ...sung, ...sung, { role: "user" as const, content: "repeat la la la la" }];
    expect((await reply(open(), messages, 120)).split(" ").length).toBeLessThan(90);
  });

  it("serves all callers at once, and the error for one more names the limit", async () => {
    const sessions = Array.from({ length: options.sequences }, open);
    expect(open).toThrow(
      expect.objectContaining({
        code: "LLM_BUSY",
        retryable: true,
        message: expect.stringContaining("All 4 sequences"),
      }),
    );
    const replies = await Promise.all(
      sessions.map((session, index) => reply(session, ask(`Hello, I am caller number ${String(index)}.`))),
    );
    for (const text of replies) expect(text).toMatch(/\w/);
    sessions[0]?.close();
    sessions[0]?.close();
    open();
    expect(open).toThrow(expect.objectContaining({ code: "LLM_BUSY" }));
  });

  it("an aborted reply ends with the signal's reason, and the session answers the next request", async () => {
    const session = open();
    const controller = new AbortController();
    const pieces: string[] = [];
    const cut = (async () => {
      for await (const piece of textOf(
        session.generate(
          { ...noTools, messages: ask("Tell me a story."), maxTokens: 200, temperature: 0.9 },
          controller.signal,
        ),
      )) {
        pieces.push(piece);
        controller.abort("interrupted");
      }
    })();
    await expect(cut).rejects.toBe("interrupted");
    expect(pieces).toHaveLength(1);
    expect(await reply(session, ask("Hello."))).toMatch(/\w/);
  });

  it("omits the oldest turns when a conversation exceeds the context", async () => {
    const messages = [system];
    for (let turn = 0; turn < 60; turn += 1) {
      messages.push({ role: "user", content: `This is what I say in turn ${String(turn)} of our talk.` });
      messages.push({ role: "assistant", content: "I see. Please go on." });
    }
    const session = open();
    for (const content of ["Can you help me?", "And now?"]) {
      messages.push({ role: "user", content });
      expect(await reply(session, messages)).toMatch(/\w/);
      messages.push({ role: "assistant", content: "Yes." });
    }
  });

  it("reserves half of the context for the prompt, for any length of reply", async () => {
    const session = open();
    expect(await reply(session, ask("Hello."), 4096)).toMatch(/\w/);
    await session.prefill({ ...noTools, messages: ask("Hello.") }, new AbortController().signal);
  });

  it("fails with a clear error when the system message alone does not fit", async () => {
    const messages: ChatMessage[] = [
      { role: "system", content: "word ".repeat(2_000) },
      { role: "user", content: "Hello." },
    ];
    await expect(reply(open(), messages)).rejects.toMatchObject({ code: "LLM_PROMPT_TOO_LONG" });
  });

  it("recovers after its process is killed during a reply", async () => {
    const session = open();
    const killed = (async () => {
      for await (const piece of textOf(
        session.generate(
          { ...noTools, messages: ask("Tell me a story."), maxTokens: 400, temperature: 1 },
          new AbortController().signal,
        ),
      )) {
        expect(piece).not.toBe("");
        process.kill(llm.process.pid ?? 0, "SIGKILL");
      }
    })();
    await expect(killed).rejects.toMatchObject({ code: "ENGINE_CRASHED", retryable: true });
    await vi.waitFor(() => expect(llm.process.restarts).toBe(1), { timeout: 50_000 });
    expect(await reply(session, ask("Hello."))).toMatch(/\w/);
  });
});

describe("a language model that cannot start", () => {
  let dir: string;
  beforeAll(async () => {
    dir = temporaryFolder();
  });

  it.each([
    ["is empty", 0],
    ["ends in its header", 1_000],
    ["ends in a tensor", 2_500_000],
    ["lacks a byte", -1],
  ])("the error says that a file that %s is truncated and must be installed again", async (_, end) => {
    const folder = temporaryFolder();
    const file = path.join(folder, "cut.gguf");
    await writeFile(file, (await readFile(modelPath)).subarray(0, end));
    await expect(startLlama({ ...options, modelPath: file }, silentLog)).rejects.toThrow(
      /^Cannot start the language model \(\S+cut\.gguf\): the file is truncated.* Install the model again.*$/,
    );
  });

  it("the error names a missing file", async () => {
    const missing = path.join(dir, "none.gguf");
    await expect(startLlama({ ...options, modelPath: missing }, silentLog)).rejects.toThrow(
      /Cannot start the language model \(.*none\.gguf\): the file does not exist or cannot be read\. Install/,
    );
  });

  it("a GPU that the configuration names is used, or the start fails", async () => {
    const started = startLlama({ ...options, gpu: "cuda" }, silentLog).then(async ({ process }) => {
      const { gpu } = llamaInfo.parse(process.info);
      await process.close();
      return gpu;
    });
    expect(await started.catch(errorMessage)).toMatch(/^cuda$|Cannot start the language model .*cuda/u);
  });

  it("reports a file that is not a model", async () => {
    const file = path.join(dir, "text.gguf");
    await writeFile(file, "This is no model.");
    await expect(startLlama({ ...options, modelPath: file }, silentLog)).rejects.toMatchObject({
      code: "ENGINE_START_FAILED",
    });
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getLlama, LlamaLogLevel, type Llama, type LlamaContext, type LlamaContextSequence } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChatPrompt } from "../../src/llm/chat-prompt.ts";
import type { ChatMessage } from "../../src/llm/contract.ts";
import { LlamaSlot } from "../../src/llm/llama-slot.ts";
import { markOptions } from "../../src/llm/sequence-cache.ts";
import { SharedBeginnings } from "../../src/llm/shared-beginnings.ts";
import { TINY_SHAPES, writeBabblingModel } from "./babbling-model.ts";

const folder = mkdtempSync(join(tmpdir(), "oakvoice-test-"));
const starter = fileURLToPath(new URL("../../models/starter/llm/starter.gguf", import.meta.url));
const beginning = "hello table house ".repeat(12).trim();
const system: ChatMessage = { role: "system", content: beginning };
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.error, progressLogs: false });
});
afterAll(async () => {
  await llama.dispose();
  rmSync(folder, { recursive: true, force: true });
});

interface Asked {
  readonly text: string;
  /** Prompt tokens. */
  readonly evaluated: number;
}

/** A slot whose evaluated tokens are counted. */
class CountedSlot {
  readonly sequence: LlamaContextSequence;
  readonly #slot: LlamaSlot;

  constructor(context: LlamaContext, prompt: ChatPrompt, beginnings: SharedBeginnings) {
    this.sequence = context.getSequence({ checkpoints: markOptions });
    this.#slot = new LlamaSlot(this.sequence, prompt, prompt.stopTriggers(), beginnings);
  }

  prefill(caller: number, messages: readonly ChatMessage[], signal = AbortSignal.any([])): Promise<Asked> {
    const to = { slot: 0, caller, beginning };
    return this.#count(this.#slot.prefill({ ...to, messages, reserveTokens: 8 }, signal), Infinity);
  }

  generate(caller: number, messages: readonly ChatMessage[], pieces = Infinity): Promise<Asked> {
    const request = { messages, maxTokens: 8, temperature: 0 };
    return this.#count(this.#slot.generate({ slot: 0, caller, beginning, request }, AbortSignal.any([])), pieces);
  }

  async #count(replied: AsyncIterable<string>, pieces: number): Promise<Asked> {
    const before = this.sequence.tokenMeter.getState();
    let text = "";
    let count = 0;
    for await (const piece of replied) {
      text += piece;
      if (piece !== "") count += 1;
      if (count >= pieces) break;
    }
    return { text, evaluated: this.sequence.tokenMeter.diff(before).usedInputTokens };
  }
}

describe.each(["starter", "qwen3", "lfm2", "qwen35"] as const)("a slot of %s", (name) => {
  let context: LlamaContext;
  let prompt: ChatPrompt;
  let beginnings: SharedBeginnings;
  beforeAll(async () => {
    const modelPath = name === "starter" ? starter : join(folder, `${name}.gguf`);
    if (name !== "starter") await writeBabblingModel(modelPath, TINY_SHAPES[name]);
    const model = await llama.loadModel({ modelPath });
    context = await model.createContext({ contextSize: 512, sequences: 3, threads: 1, batchSize: 512 });
    prompt = new ChatPrompt(model);
    beginnings = new SharedBeginnings(prompt);
  });
  afterAll(() => context.model.dispose());
  const slot = () => new CountedSlot(context, prompt, beginnings);
  const tokens = (messages: readonly ChatMessage[]) => prompt.tokens(messages).length;
  /** Tokens that differ between two prompts, from the first difference to the end of the first prompt. */
  const beyond = (messages: readonly ChatMessage[], other: readonly ChatMessage[]) =>
    tokens(messages) - prompt.commonTokens(messages, other).length;

  async function onFreshSlot(messages: readonly ChatMessage[]): Promise<string> {
    const fresh = new CountedSlot(context, prompt, new SharedBeginnings(prompt));
    const { text } = await fresh.generate(1, messages);
    await fresh.sequence.dispose();
    return text;
  }

  it("replies as a fresh slot does and evaluates only what is new", async () => {
    const kept = slot();
    const note = [system, user("(It is now.)")];
    await kept.prefill(1, note);

    // The caller goes on: a reply that was prepared is dropped.
    const first = [system, user("(It is now.)\nhello book")];
    await kept.generate(1, first, 3);
    const second = [system, user("(It is now.)\nhello table please")];
    const prepared = await kept.generate(1, second);
    expect(prepared.evaluated).toBeLessThanOrEqual(beyond(second, note));
    expect(prepared.text).toBe(await onFreshSlot(second));

    // The reply is interrupted: the next prompt has only what was heard of it.
    const heard = [...second, assistant(prepared.text.slice(0, 12))];
    const next = [...heard, user("(It is then.)")];
    const ahead = await kept.prefill(1, next);
    expect(ahead.evaluated).toBeLessThanOrEqual(beyond(next, second));
    const third = [...heard, user("(It is then.)\nbook")];
    const reply = await kept.generate(1, third);
    expect(reply.evaluated).toBeLessThanOrEqual(beyond(third, next));
    expect(reply.text).toBe(await onFreshSlot(third));

    // Without a prefill the newest words alone are evaluated again.
    const other = [...heard, user("house")];
    await kept.generate(1, other, 3);
    const another = [...heard, user("please table")];
    const last = await kept.generate(1, another);
    expect(last.evaluated).toBeLessThanOrEqual(beyond(another, other) + 1);
    expect(last.text).toBe(await onFreshSlot(another));
    await kept.sequence.dispose();
  });

  it("evaluates the beginning of a voice configuration once for all callers", async () => {
    const [one, two] = [slot(), slot()];
    const asked = [system, user("hello book")];
    await one.prefill(1, [system, user("please")]);
    const { text, evaluated } = await two.generate(2, asked);
    expect(evaluated).toBeLessThan(tokens(asked) - beginnings.tokens(beginning).length + 1);
    expect(text).toBe(await onFreshSlot(asked));

    // A third caller takes the first one's slot and has lines of their own after the beginning.
    const own = [{ ...system, content: `${beginning}\nTone: calm.` }, user("book")];
    const third = await one.generate(3, own);
    expect(third.evaluated).toBeLessThan(tokens(own) - beginnings.tokens(beginning).length + 1);
    expect(third.text).toBe(await onFreshSlot(own));
    expect(context.model.detokenize(one.sequence.contextTokens, true)).not.toContain("please");
    await Promise.all([one.sequence.dispose(), two.sequence.dispose()]);
  });

  it("goes on where an aborted prefill stopped", async () => {
    const kept = slot();
    const long = [{ ...system, content: "book please ".repeat(80) }, user("hello")];
    const controller = new AbortController();
    const aborted = kept.prefill(4, long, controller.signal);
    controller.abort();
    await expect(aborted).rejects.toThrow();
    expect((await kept.generate(4, long)).text).toBe(await onFreshSlot(long));
    await kept.sequence.dispose();
  });

  it("cuts no caller's conversation where it cut that of the caller before", async () => {
    const kept = slot();
    const long = assistant("The house is quiet today. ".repeat(60));
    const read = async (caller: number, messages: readonly ChatMessage[]) => {
      await kept.prefill(caller, messages);
      return context.model.detokenize(kept.sequence.contextTokens, true);
    };
    const yes = user("yes");
    expect(await read(1, [system, user("Tell me more."), long, yes])).not.toContain("quiet");
    const greeted = [system, user("My name is Maria."), assistant("Shall I book the table?"), yes];
    expect(await read(2, greeted)).toContain("Maria");
    await kept.sequence.dispose();
  });
});

it("the tiny models depend on what was said before", async () => {
  for (const name of ["lfm2", "qwen35"] as const) {
    const modelPath = join(folder, `${name}.gguf`);
    const model = await llama.loadModel({ modelPath });
    const context = await model.createContext({ contextSize: 512, sequences: 1, threads: 1 });
    const prompt = new ChatPrompt(model);
    const slot = new CountedSlot(context, prompt, new SharedBeginnings(prompt));
    const texts = new Set<string>();
    for (const words of ["hello", "table", "house", "book", "please"])
      texts.add((await slot.generate(1, [system, user(words)])).text);
    expect(texts.size).toBeGreaterThan(1);
    // One that is garbage-collected before never releases llama.cpp.
    await model.dispose();
  }
});

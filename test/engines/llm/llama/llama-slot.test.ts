import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  getLlama,
  LlamaLogLevel,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  type Token,
} from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChatPrompt } from "../../../../src/engines/llm/prompt/chat-prompt.ts";
import { noTools, textOf, type Beginning, type ChatMessage } from "../../../../src/engines/llm/language-model.ts";
import { LlamaSlot } from "../../../../src/engines/llm/llama/llama-slot.ts";
import { markOptions } from "../../../../src/engines/llm/llama/sequence-cache.ts";
import { PromptPace } from "../../../../src/engines/llm/llama/prompt-pace.ts";
import { SharedBeginnings } from "../../../../src/engines/llm/llama/shared-beginnings.ts";
import { TINY_SHAPES, writeBabblingModel } from "../babbling-model.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const folder = temporaryFolder();
const starter = fileURLToPath(new URL("../../../../models/starter/llm/starter.gguf", import.meta.url));
const beginning = { system: "hello table house ".repeat(12).trim(), tools: [] };
const system: ChatMessage = { role: "system", content: beginning.system };
const tools = [
  {
    name: "book",
    description: "",
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  },
];
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.error, progressLogs: false });
});
afterAll(async () => {
  await llama.dispose();
});

/** Probability of each token. */
type Distribution = ReadonlyMap<Token, number>;

interface Asked {
  /** Prompt tokens. */
  readonly evaluated: number;
  /** The model's predictions after the prompt and after one more token. */
  readonly next: Distribution;
}

/** Half of the sum of differences, 0 to 1. Rounding makes two evaluations of the same tokens differ slightly. */
function distance(one: Distribution, other: Distribution): number {
  let sum = 0;
  for (const [token, probability] of one) sum += Math.abs(probability - (other.get(token) ?? 0));
  return sum / 2;
}

class TestedSlot {
  readonly sequence: LlamaContextSequence;
  readonly #slot: LlamaSlot;

  readonly #beginning: Beginning;

  constructor(context: LlamaContext, prompt: ChatPrompt, beginnings: SharedBeginnings, own: Beginning = beginning) {
    this.#beginning = own;
    this.sequence = context.getSequence({ checkpoints: markOptions });
    this.#slot = new LlamaSlot(this.sequence, prompt, beginnings, new PromptPace());
  }

  prefill(caller: number, messages: readonly ChatMessage[], signal = AbortSignal.any([])): Promise<number> {
    const prompt = { messages, tools: this.#beginning.tools, toolChoice: "auto" } as const;
    const request = { slot: 0, caller, beginning: this.#beginning, prompt, reserveTokens: 8 };
    return this.#count(async () => {
      for await (const _ of this.#slot.prefill(request, signal));
    });
  }

  /** A forced call, and the prompt that follows it. */
  async call(caller: number, messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
    const request = { messages, tools, toolChoice: "required" as const, maxTokens: 60, temperature: 0 };
    const called: ChatMessage[] = [];
    for await (const piece of this.#slot.generate({ slot: 0, caller, beginning, request }, AbortSignal.any([])))
      if (typeof piece !== "string") called.push({ role: "call", ...piece, content: "done" });
    return [...messages, ...called];
  }

  /** The beginning of a reply. */
  async say(caller: number, messages: readonly ChatMessage[], maxTokens: number): Promise<string> {
    const request = { messages, tools: this.#beginning.tools, toolChoice: "auto", maxTokens, temperature: 0 } as const;
    const to = { slot: 0, caller, beginning: this.#beginning, request };
    let text = "";
    for await (const piece of textOf(this.#slot.generate(to, AbortSignal.any([])))) text += piece;
    return text;
  }

  async ask(caller: number, messages: readonly ChatMessage[]): Promise<Asked> {
    const evaluated = await this.#count(() => this.say(caller, messages, 1));
    const [token = 0 as Token] = this.sequence.model.tokenize("hello");
    const options = { temperature: 1, topK: 0, topP: 1, minP: 0 };
    const [output] = await this.sequence.controlledEvaluate([
      [token, { generateNext: { probabilities: true, options } }],
    ]);
    return { evaluated, next: output?.next.probabilities ?? new Map() };
  }

  async #count(work: () => Promise<unknown>): Promise<number> {
    const before = this.sequence.tokenMeter.getState();
    await work();
    return this.sequence.tokenMeter.diff(before).usedInputTokens;
  }
}

describe.each(["starter", "qwen3", "gemma3", "lfm2", "qwen35"] as const)("a slot of %s", (name) => {
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
  const slot = () => new TestedSlot(context, prompt, beginnings);
  const tokens = (messages: readonly ChatMessage[]) => prompt.tokens(messages).length;
  /** Tokens that differ between two prompts, from the first difference to the end of the first prompt. */
  const beyond = (messages: readonly ChatMessage[], other: readonly ChatMessage[]) =>
    tokens(messages) - prompt.commonTokens(messages, other).length;

  it("background work evaluates its prompt in short chunks, so that a caller waits less", async () => {
    const fast = new PromptPace();
    fast.evaluated(128, 1);
    let text = "one";
    while (tokens([user(text)]) < 350) text += " two";
    const messages = [user(text)];
    const chunks = async (isBackground: boolean) => {
      const sequence = context.getSequence({ checkpoints: markOptions });
      const own = new LlamaSlot(sequence, prompt, beginnings, fast);
      const request = { messages, ...noTools, maxTokens: 1, temperature: 0 } as const;
      const to = {
        slot: 0,
        caller: 1,
        beginning: undefined,
        request,
        ...(isBackground && ({ isBackground: true } as const)),
      };
      let count = 0;
      for await (const piece of own.generate(to, AbortSignal.any([]))) if (piece === "") count += 1;
      await sequence.dispose();
      return count;
    };
    const [reply, notes] = [await chunks(false), await chunks(true)];
    expect(notes).toBeGreaterThanOrEqual(2 * reply);
  });

  /** Other words must change the prediction more than another way to evaluate the same words. */
  async function expectAsOnFreshSlot(next: Distribution, messages: readonly ChatMessage[]): Promise<void> {
    const fresh = new TestedSlot(context, prompt, new SharedBeginnings(prompt));
    const { next: expected } = await fresh.ask(1, messages);
    const { next: other } = await fresh.ask(1, [user("table house book"), ...messages.slice(1)]);
    expect(distance(next, expected)).toBeLessThan(distance(other, expected) / 3);
    await fresh.sequence.dispose();
  }

  it("lets an aborted request leave its queue at once", async () => {
    const queue = slot();
    const stop = new AbortController();
    const order: string[] = [];
    const running = queue.prefill(1, [system, user("table")]).then(() => order.push("running"));
    const waiting = Array.from({ length: 20 }, () => queue.prefill(1, [system, user("house")], stop.signal));
    const left = Promise.allSettled(waiting).then(() => order.push("left"));
    stop.abort();
    const last = queue.prefill(1, [system, user("hello")]).then(() => order.push("last"));
    await Promise.all([running, left, last]);
    expect(order).toEqual(["left", "running", "last"]);
    await queue.sequence.dispose();
  });

  it("predicts the same tokens as a fresh slot and evaluates only new tokens", async () => {
    const kept = slot();
    const note = [system, user("(It is now.)")];
    await kept.prefill(1, note);

    // The caller continues, so the prepared reply is dropped.
    await kept.say(1, [system, user("(It is now.)\nhello book")], 3);
    const second = [system, user("(It is now.)\nhello table please")];
    const prepared = await kept.ask(1, second);
    expect(prepared.evaluated).toBeLessThanOrEqual(beyond(second, note));
    await expectAsOnFreshSlot(prepared.next, second);

    // The reply is interrupted. The next prompt has only its heard part.
    const said = await kept.say(1, second, 8);
    const heard = [...second, assistant(said.slice(0, 12))];
    const next = [...heard, user("(It is then.)")];
    expect(await kept.prefill(1, next)).toBeLessThanOrEqual(beyond(next, second));
    const third = [...heard, user("(It is then.)\nbook")];
    const reply = await kept.ask(1, third);
    expect(reply.evaluated).toBeLessThanOrEqual(beyond(third, next));
    await expectAsOnFreshSlot(reply.next, third);

    // Without a prefill only the newest words are evaluated.
    const other = [...heard, user("house")];
    await kept.say(1, other, 3);
    const another = [...heard, user("please table")];
    const last = await kept.ask(1, another);
    expect(last.evaluated).toBeLessThanOrEqual(beyond(another, other) + 1);
    await expectAsOnFreshSlot(last.next, another);
    await kept.sequence.dispose();
  });

  it("evaluates the shared prefix of a voice configuration once for all callers", async () => {
    const [one, two] = [slot(), slot()];
    const length = beginnings.tokens(beginning).length;
    const asked = [system, user("hello book")];
    await one.prefill(1, [system, user("please")]);
    const second = await two.ask(2, asked);
    expect(second.evaluated).toBeLessThanOrEqual(tokens(asked) - length);
    await expectAsOnFreshSlot(second.next, asked);

    // A third caller takes the first one's slot and has other messages after the shared prefix.
    const own = [{ ...system, content: `${beginning.system}\nTone: calm.` }, user("book")];
    const third = await one.ask(3, own);
    expect(third.evaluated).toBeLessThanOrEqual(tokens(own) - length);
    await expectAsOnFreshSlot(third.next, own);
    expect(context.model.detokenize(one.sequence.contextTokens, true)).not.toContain("please");
    await Promise.all([one.sequence.dispose(), two.sequence.dispose()]);
  });

  it("evaluates the tools of a voice configuration once for all callers", async () => {
    const own = { system: beginning.system, tools };
    const fresh = new SharedBeginnings(prompt);
    const [one, two, three] = [1, 2, 3].map(() => new TestedSlot(context, prompt, fresh, own)) as [
      TestedSlot,
      TestedSlot,
      TestedSlot,
    ];
    const asked = [system, user("hello book")];
    const shared = fresh.tokens(own).length;
    expect(shared).toBeGreaterThan(beginnings.tokens(beginning).length);
    await one.prefill(1, [system, user("please")]);
    const all = prompt.tokens(asked, tools).length;
    expect((await two.ask(2, asked)).evaluated).toBeLessThanOrEqual(all - shared);

    // A caller with a longer system message shares its beginning where the model can return to it.
    const longer = [{ ...system, content: `${beginning.system}\nTone: calm.` }, user("book")];
    const { evaluated } = await three.ask(3, longer);
    const length = prompt.tokens(longer, tools).length;
    if (name === "starter" || name === "qwen3") expect(evaluated).toBeLessThan(length - 12);
    else expect(evaluated).toBeLessThanOrEqual(length);
    await Promise.all([one, two, three].map((each) => each.sequence.dispose()));
  });

  it("evaluates the shared prefix once for callers who connect at the same time", async () => {
    const fresh = new SharedBeginnings(prompt);
    const [one, two] = [new TestedSlot(context, prompt, fresh), new TestedSlot(context, prompt, fresh)];
    const aborted = new TestedSlot(context, prompt, fresh);
    const asked = [system, user("hello book")];
    const controller = new AbortController();
    const first = aborted.prefill(1, asked, controller.signal);
    const others = Promise.all([one.prefill(2, asked), two.prefill(3, asked)]);
    controller.abort();
    await expect(first).rejects.toThrow();
    const counts = await others;
    const most = tokens(asked);
    expect(Math.min(...counts)).toBeLessThanOrEqual(most - fresh.tokens(beginning).length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(most);
    await Promise.all([aborted, one, two].map((each) => each.sequence.dispose()));
  });

  it("continues after a call with its result", async () => {
    const kept = slot();
    const asked = [system, user("hello book")];
    const next = await kept.call(1, asked);
    expect(next).toMatchObject([
      ...asked,
      { role: "call", name: "book", arguments: expect.stringMatching(/^{"n":-?\d+}$/) },
    ]);
    await expectAsOnFreshSlot((await kept.ask(1, next)).next, next);
    await kept.sequence.dispose();
  });

  it("serves callers at the same time", async () => {
    const [one, two] = [slot(), slot()];
    const asked = ["hello please", "book"].map((words) => [system, user(words)]);
    const [first = [], second = []] = asked;
    await Promise.all([one.say(1, first, 8), two.say(2, second, 8)]);
    const both = await Promise.all([one.ask(1, first), two.ask(2, second)]);
    for (const [at, { next }] of both.entries()) await expectAsOnFreshSlot(next, asked[at] ?? []);
    await Promise.all([one.sequence.dispose(), two.sequence.dispose()]);
  });

  it("continues where an aborted prefill stopped", async () => {
    const kept = slot();
    const long = [{ ...system, content: "book please ".repeat(80) }, user("hello")];
    const controller = new AbortController();
    const aborted = kept.prefill(4, long, controller.signal);
    controller.abort();
    await expect(aborted).rejects.toThrow();
    await expectAsOnFreshSlot((await kept.ask(4, long)).next, long);
    await kept.sequence.dispose();
  });

  it("cuts a caller's conversation independently of the previous caller's", async () => {
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

it("evaluates the whole prompt again when the sliding window before the cut is gone", async () => {
  const model = await llama.loadModel({ modelPath: join(folder, "gemma3.gguf") });
  const context = await model.createContext({ contextSize: 1_024, threads: 1, batchSize: 512 });
  const prompt = new ChatPrompt(model);
  const kept = new TestedSlot(context, prompt, new SharedBeginnings(prompt));
  const same = "book please ".repeat(80);
  await kept.say(1, [user(same + "hello table ".repeat(350))], 2);
  const other = [user(`${same}house hello`)];
  // llama.cpp still holds the last tokens of the window and would continue with them.
  const common = prompt.commonTokens(other, [user(`${same}hello table`)]).length;
  expect(kept.sequence.stateCellsStartIndex).toBeLessThan(common);
  expect((await kept.ask(1, other)).evaluated).toBe(prompt.tokens(other).length - 1);
  await model.dispose();
});

import { fileURLToPath } from "node:url";
import { getLlama, LlamaLogLevel, type Llama, type LlamaContextSequence } from "node-llama-cpp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChatPrompt } from "../../src/llm/chat-prompt.ts";
import type { ChatMessage } from "../../src/llm/contract.ts";
import { LlamaSlot } from "../../src/llm/llama-slot.ts";

const modelPath = fileURLToPath(new URL("../../models/starter/llm/starter.gguf", import.meta.url));
const { signal } = new AbortController();
const system: ChatMessage = { role: "system", content: "You are a friendly assistant." };
const yes: ChatMessage = { role: "user", content: "yes" };

let llama: Llama;
let sequence: LlamaContextSequence;
let slot: LlamaSlot;
beforeAll(async () => {
  llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.error, progressLogs: false });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: 512, threads: 1 });
  const prompt = new ChatPrompt(model);
  sequence = context.getSequence();
  slot = new LlamaSlot(sequence, prompt, prompt.stopTriggers());
});
afterAll(() => llama.dispose());

/** What the model has read once it has read `messages` for a caller. */
async function readFor(caller: number, messages: readonly ChatMessage[]): Promise<string> {
  for await (const _ of slot.prefill(caller, messages, 64, signal));
  return sequence.model.detokenize(sequence.contextTokens, true);
}

it("cuts no caller's conversation where it cut that of the caller before", async () => {
  const long: ChatMessage = { role: "assistant", content: "The house is quiet today. ".repeat(60) };
  const cut = await readFor(1, [system, { role: "user", content: "Tell me more." }, long, yes]);
  expect(cut).not.toContain("quiet");
  const greeted: ChatMessage[] = [
    system,
    { role: "user", content: "My name is Maria." },
    { role: "assistant", content: "Shall I book the table?" },
    yes,
  ];
  expect(await readFor(2, greeted)).toContain("Maria");
});

import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { llamaInfo, startLlama } from "../../../src/engines/llm/llama/llama-engine.ts";
import { llamaFile } from "../../../src/operator/rehearse/llama-file.ts";
import type { LlamaPacking, LlamaShape } from "../../../src/operator/rehearse/llama-shape.ts";
import { SAID, SAID_TOKENS } from "../../../src/operator/rehearse/llama-tokenizer.ts";
import { bytesOf, writePieces } from "../../../src/operator/rehearse/write-pieces.ts";
import { noTools, textOf } from "../../../src/engines/llm/language-model.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

const qwen2: LlamaShape = {
  architecture: "qwen2",
  vocabulary: 2_048,
  width: 256,
  layers: 3,
  heads: 4,
  keyHeads: 2,
  headWidth: 64,
  feedForward: 512,
  isTied: false,
};
const qwen3: LlamaShape = { ...qwen2, architecture: "qwen3", isTied: true };
const mixture: LlamaShape = { ...qwen2, architecture: "qwen3moe", feedForward: 256, experts: { count: 4, used: 2 } };
const llama: LlamaShape = { ...qwen2, architecture: "llama", isTied: true };
const gemma3: LlamaShape = { ...qwen3, architecture: "gemma3", layers: 6, window: 16 };
const lfm2: LlamaShape = { ...qwen3, architecture: "lfm2", layers: 4, attention: [2] };
const qwen35: LlamaShape = {
  ...qwen3,
  architecture: "qwen35",
  layers: 8,
  attention: [3, 7],
  delta: { keyHeads: 2, valueHeads: 4, headWidth: 64 },
};
const { signal } = new AbortController();

test("the sentence has no repeated token, so each token determines the next", () => {
  expect(SAID_TOKENS.join("")).toBe(SAID);
  expect(new Set(SAID_TOKENS).size).toBe(SAID_TOKENS.length);
});

test.each<[LlamaPacking, string, LlamaShape]>([
  ["q4_k_m", "qwen2", qwen2],
  ["q8_0", "qwen2", qwen2],
  ["q4_k_m", "qwen3, tied", qwen3],
  ["q8_0", "qwen3, tied", qwen3],
  ["q4_k_m", "a mixture of experts", mixture],
  ["q4_k_m", "llama", llama],
  ["q4_k_m", "gemma3", gemma3],
  ["q4_k_m", "lfm2", lfm2],
  ["q8_0", "lfm2", lfm2],
  ["q4_k_m", "qwen35, tied", qwen35],
  ["q4_k_m", "qwen35", { ...qwen35, isTied: false }],
])("a language model of %s (%s) returns the sentence for any prompt", async (packed, _, shape) => {
  const modelPath = join(folder, `${packed}-${shape.architecture}.gguf`);
  const pieces = llamaFile(shape, packed, ["hello", "table"]);
  await writePieces(modelPath, pieces, signal, () => undefined);
  expect(statSync(modelPath).size).toBe(bytesOf(pieces));

  const llm = await startLlama({ modelPath, gpu: "off", threads: 1, contextTokens: 512, sequences: 1 }, silentLog);
  expect(llamaInfo.parse(llm.process.info).canRewind).toBe(shape.attention === undefined);
  const session = llm.open();
  const messages = [
    { role: "system", content: "You are a voice assistant." },
    { role: "user", content: "hello, is there a table?" },
    { role: "assistant", content: SAID },
    { role: "user", content: "For two, at 7:30." },
  ] as const;
  for (const temperature of [0, 0.7]) {
    let text = "";
    const request = { ...noTools, messages, maxTokens: 60, temperature };
    let count = 0;
    for await (const piece of textOf(session.generate(request, signal))) {
      text += piece;
      count += 1;
    }
    expect(text).toBe(SAID);
    expect(count).toBe(SAID_TOKENS.length);
  }
  await llm.close();
});

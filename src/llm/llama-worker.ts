import { access } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { getLlama, LlamaLogLevel, NoBinaryFoundError } from "node-llama-cpp";
import type { z } from "zod";
import { serveWorker } from "../engine/worker.ts";
import { OakError } from "../shared/errors.ts";
import { ChatPrompt } from "./chat-prompt.ts";
import type { llamaInfo, LlamaOptions, SlotGenerateRequest, SlotPrefillRequest } from "./llama-engine.ts";
import { LlamaSlot } from "./llama-slot.ts";

/** Below this size a token takes about a millisecond on one core, and more threads only wait for each other. */
const smallModelBytes = 200e6;

serveWorker(async ({ modelPath, gpu, threads, contextTokens, sequences }: LlamaOptions) => {
  await access(modelPath).catch((cause: unknown) => {
    throw new OakError("the file does not exist or cannot be read", { code: "MODEL_MISSING", cause });
  });
  const llama = await getLlama({
    build: "never",
    skipDownload: true,
    gpu: gpu === "off" ? false : gpu,
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
  }).catch((cause: unknown) => {
    if (!(cause instanceof NoBinaryFoundError)) throw cause;
    throw new OakError(`llama.cpp cannot use ${gpu} here; models.llm.gpu: auto takes what there is`, {
      code: "GPU_UNAVAILABLE",
      cause,
    });
  });
  const model = await llama.loadModel({ modelPath });
  const automatic = model.size < smallModelBytes ? 1 : Math.max(1, availableParallelism() - 1);
  const context = await model.createContext({
    sequences,
    contextSize: Math.min(contextTokens, model.trainContextSize),
    batchSize: 512,
    threads: threads === 0 ? automatic : threads,
    failedCreationRemedy: false,
  });
  const prompt = new ChatPrompt(model);
  const stop = prompt.stopTriggers();
  const slots = Array.from({ length: sequences }, () => new LlamaSlot(context.getSequence(), prompt, stop));
  const at = (index: number): LlamaSlot => {
    const slot = slots[index];
    if (slot === undefined) throw new OakError(`There is no sequence ${String(index)}.`, { code: "LLM_SLOT_UNKNOWN" });
    return slot;
  };
  const info: z.infer<typeof llamaInfo> = {
    contextTokens: context.contextSize,
    gpu: llama.gpu,
    threads: context.idealThreads,
  };
  return {
    info,
    streams: {
      prefill: ({ slot, caller, messages, reserveTokens }: SlotPrefillRequest, signal) =>
        at(slot).prefill(caller, messages, reserveTokens, signal),
      generate: ({ slot, caller, request }: SlotGenerateRequest, signal) => at(slot).generate(caller, request, signal),
    },
  };
});

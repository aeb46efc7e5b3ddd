import { open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { getLlama, LlamaLogLevel, NoBinaryFoundError } from "node-llama-cpp";
import type { z } from "zod";
import { serveWorker } from "../engine/worker.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { ChatPrompt } from "./chat-prompt.ts";
import type { llamaInfo, LlamaOptions, SlotGenerateRequest, SlotPrefillRequest } from "./llama-engine.ts";
import { LlamaSlot } from "./llama-slot.ts";
import { markOptions } from "./sequence-cache.ts";
import { SharedBeginnings } from "./shared-beginnings.ts";

/** Below this size a token takes about a millisecond on one core, and more threads only wait for each other. */
const smallModelBytes = 200e6;

const HEADER_BYTES = 24;
const MAX_LOG_DELAY_MS = 500;

serveWorker(async ({ modelPath, gpu, threads, contextTokens, sequences }: LlamaOptions) => {
  await checkHeader(modelPath);
  let reason = "";
  const llama = await getLlama({
    build: "never",
    skipDownload: true,
    gpu: gpu === "off" ? false : gpu,
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
    logger: (_level, line) => {
      // The first line names the cause, the later ones its consequences.
      reason ||= line.replace(/^.*error loading model: /u, "");
      console.error(line);
    },
  }).catch((cause: unknown) => {
    if (!(cause instanceof NoBinaryFoundError)) throw cause;
    throw new OakError(`llama.cpp cannot use ${gpu} here; models.llm.gpu: auto takes what there is`, {
      code: "GPU_UNAVAILABLE",
      cause,
    });
  });
  reason = "";
  const model = await llama.loadModel({ modelPath }).catch(async (cause: unknown) => {
    // llama.cpp's lines come after its error.
    for (let waitedMs = 0; reason === "" && waitedMs < MAX_LOG_DELAY_MS; waitedMs += 10) await sleep(10);
    throw new OakError(reason || errorMessage(cause), { code: "MODEL_BROKEN", cause });
  });
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
  const beginnings = new SharedBeginnings(prompt);
  const slots = Array.from(
    { length: sequences },
    () => new LlamaSlot(context.getSequence({ checkpoints: markOptions }), prompt, stop, beginnings),
  );
  const at = (index: number): LlamaSlot => {
    const slot = slots[index];
    if (slot === undefined) throw new OakError(`There is no sequence ${String(index)}.`, { code: "LLM_SLOT_UNKNOWN" });
    return slot;
  };
  const info: z.infer<typeof llamaInfo> = {
    contextTokens: context.contextSize,
    gpu: llama.gpu,
    threads: context.idealThreads,
    canRewind: slots.every((slot) => slot.canRewind),
  };
  return {
    info,
    streams: {
      prefill: (request: SlotPrefillRequest, signal) => at(request.slot).prefill(request, signal),
      generate: (request: SlotGenerateRequest, signal) => at(request.slot).generate(request, signal),
    },
  };
});

/** node-llama-cpp fails in ways of its own on a file without a whole header. */
async function checkHeader(path: string): Promise<void> {
  const file = await open(path).catch((cause: unknown) => {
    throw new OakError("the file does not exist or cannot be read", { code: "MODEL_MISSING", cause });
  });
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES));
    if (bytesRead === HEADER_BYTES && buffer.toString("latin1", 0, 4) === "GGUF") return;
  } finally {
    await file.close();
  }
  throw new OakError("the file is truncated, or not a GGUF file", { code: "MODEL_BROKEN" });
}

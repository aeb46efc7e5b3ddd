import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { getLlama, LlamaLogLevel, NoBinaryFoundError } from "node-llama-cpp";
import type { z } from "zod";
import { serveWorker } from "../../../child-processes/worker.ts";
import { errorMessage, OakError } from "../../../shared/errors.ts";
import { CallersFirst } from "./callers-first.ts";
import { ChatPrompt } from "../prompt/chat-prompt.ts";
import { EvaluationThreads } from "./evaluation-threads.ts";
import type { llamaInfo, LlamaOptions, SlotGenerateRequest, SlotPrefillRequest } from "./llama-engine.ts";
import { noTools } from "../language-model.ts";
import { LlamaSlot } from "./llama-slot.ts";
import { markOptions } from "./sequence-cache.ts";
import { PromptPace } from "./prompt-pace.ts";
import { SharedBeginnings } from "./shared-beginnings.ts";

/** At this many tokens a second one thread is enough: speech needs a third of them. */
const FAST_REPLY = 12;
const PACE_TOKENS = 6;

const HEADER_BYTES = 24;
const MAX_LOG_DELAY_MS = 500;

serveWorker(async (options: LlamaOptions) => {
  const { modelPath, gpu, threads, replyThreads, contextTokens, sequences } = options;
  await checkHeader(modelPath);
  let reason = "";
  const llama = await getLlama({
    build: "never",
    skipDownload: true,
    gpu: gpu === "off" ? false : gpu,
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
    logger: (_level, line) => {
      // llama.cpp's first error line names the cause, the later ones its consequences.
      reason ||= line.replace(/^.*error loading model: /u, "");
      console.error(line);
    },
  }).catch((cause: unknown) => {
    if (!(cause instanceof NoBinaryFoundError)) throw cause;
    throw new OakError(`llama.cpp cannot use ${gpu} here. Set models.llm.gpu to auto to use any available GPU`, {
      code: "GPU_UNAVAILABLE",
      cause,
    });
  });
  reason = "";
  // Offload as many layers as leave room for the cache of every caller.
  const gpuLayers = { fitContext: { contextSize: contextTokens * sequences } };
  const model = await llama.loadModel({ modelPath, gpuLayers }).catch(async (cause: unknown) => {
    // llama.cpp logs its lines after it throws.
    for (let waitedMs = 0; reason === "" && waitedMs < MAX_LOG_DELAY_MS; waitedMs += 10) await sleep(10);
    throw new OakError(reason || errorMessage(cause), { code: "MODEL_BROKEN", cause });
  });
  // The threads allowed at creation limit the context for good.
  llama.maxThreads = threads;
  const context = await model.createContext({
    sequences,
    contextSize: Math.min(contextTokens, model.trainContextSize),
    batchSize: 512,
    threads: { ideal: threads, min: 1 },
    failedCreationRemedy: false,
  });
  const prompt = new ChatPrompt(model);
  const beginnings = new SharedBeginnings(prompt);
  const pace = new PromptPace();
  const slots = Array.from(
    { length: sequences },
    () => new LlamaSlot(context.getSequence({ checkpoints: markOptions }), prompt, beginnings, pace, options),
  );
  const at = (index: number): LlamaSlot => {
    const slot = slots[index];
    if (slot === undefined) throw new OakError(`Unknown sequence ${String(index)}.`, { code: "LLM_SLOT_UNKNOWN" });
    return slot;
  };
  const evaluation = new EvaluationThreads(llama, threads, replyThreads ?? 1);
  if (replyThreads === undefined && threads > 1 && (await paceOf(at(0), evaluation)) < FAST_REPLY)
    evaluation.reply = threads;
  const callers = new CallersFirst();
  const info: z.infer<typeof llamaInfo> = {
    contextTokens: context.contextSize,
    gpu: llama.gpu,
    threads,
    replyThreads: evaluation.reply,
    canRewind: slots.every((slot) => slot.canRewind),
  };
  return {
    info,
    streams: {
      prefill: (request: SlotPrefillRequest, signal) =>
        callers.during(evaluation.during(at(request.slot).prefill(request, signal))),
      generate: (request: SlotGenerateRequest, signal) => {
        const pieces = at(request.slot).generate(request, signal);
        // Background work takes the threads that a reply would have.
        return request.isBackground === true
          ? callers.between(pieces, signal)
          : callers.during(evaluation.during(pieces));
      },
    },
  };
});

/** Measures tokens a second of a short reply before the first call. */
async function paceOf(slot: LlamaSlot, evaluation: EvaluationThreads): Promise<number> {
  const messages = [{ role: "user", content: "hello" }] as const;
  const request = { ...noTools, messages, maxTokens: PACE_TOKENS, temperature: 0 };
  const sample = { slot: 0, caller: 0, beginning: undefined, request };
  const times: number[] = [];
  for await (const piece of evaluation.during(slot.generate(sample, new AbortController().signal)))
    if (piece !== "") times.push(performance.now());
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return times.length > 1 ? (1000 * (times.length - 1)) / (last - first) : Infinity;
}

/** Checks the header first, because node-llama-cpp fails unclearly on a truncated one. */
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

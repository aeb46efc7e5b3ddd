import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { serveWorker } from "../engine/worker.ts";
import type { GraphicsCard, GraphicsRequest } from "./graphics.ts";

/** Looks for a graphics card in a process of its own: a driver may crash, and its memory is free again when the process ends. */
serveWorker(async ({ gpu }: GraphicsRequest) => {
  const llama = await getLlama({
    build: "never",
    skipDownload: true,
    gpu,
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
    logger: () => undefined,
  });
  const { total, free, unifiedSize } = await llama.getVramState();
  const [name = "unnamed"] = await llama.getGpuDeviceNames();
  const card: GraphicsCard | undefined =
    llama.gpu === false
      ? undefined
      : { kind: llama.gpu, name, bytes: total, freeBytes: free, isUnified: unifiedSize > 0 };
  return { info: { card } };
});

import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { serveWorker } from "../engines/process/worker.ts";
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
  const [name] = await llama.getGpuDeviceNames();
  // A backend that loads may still have no device: Vulkan with nothing but llvmpipe.
  if (llama.gpu === false || name === undefined) return { info: {} };
  const card: GraphicsCard = { kind: llama.gpu, name, bytes: total, freeBytes: free, isUnified: unifiedSize > 0 };
  return { info: { card } };
});

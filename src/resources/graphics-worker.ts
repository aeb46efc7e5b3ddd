import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { serveWorker } from "../child-processes/worker.ts";
import type { GraphicsCard, GraphicsRequest } from "./graphics.ts";

/** Finds the graphics card in a separate process: a driver may crash, and its memory is freed when the process ends. */
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
  // A loaded backend may have no device, for example Vulkan with llvmpipe alone.
  if (llama.gpu === false || name === undefined) return { info: {} };
  const card: GraphicsCard = { kind: llama.gpu, name, bytes: total, freeBytes: free, isUnified: unifiedSize > 0 };
  return { info: { card } };
});

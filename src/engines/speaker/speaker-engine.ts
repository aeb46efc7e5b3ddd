import type { ModelProcess } from "../../child-processes/model-process.ts";
import { startModelProcess } from "../../child-processes/supervisor.ts";
import { workerUrl } from "../../child-processes/worker-url.ts";
import type { Log } from "../../shared/log.ts";
import type { SpeakerEncoder } from "./speaker-encoder.ts";
import type { SpeakerWorkerOptions } from "./speaker-worker.ts";

/** A caller's frames wait for the answer. Without one in time they are heard. */
const DEADLINE_MS = 1500;

/** The speaker encoder in a child process. Rejects with OakError `ENGINE_START_FAILED`. */
export async function startSpeakerEncoder(
  modelPath: string,
  log: Log,
  signal?: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<SpeakerEncoder & { readonly process: ModelProcess }> {
  const child = await startModelProcess({
    name: "speaker model",
    model: modelPath,
    worker: workerUrl("speaker-worker", import.meta.url),
    init: { modelPath } satisfies SpeakerWorkerOptions,
    log,
    signal,
    limits: { requestMs: deadlineMs },
  });
  return {
    process: child,
    embed: (samples, stop) => child.call<Float32Array>("embed", samples, stop),
    close: () => child.close(),
  };
}

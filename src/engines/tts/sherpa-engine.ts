import { z } from "zod";
import type { ModelProcess } from "../process/model-process.ts";
import { deadlineLimit, startModelProcess } from "../process/supervisor.ts";
import { workerUrl } from "../process/worker-url.ts";
import type { Log } from "../../shared/log.ts";
import type { TextToSpeech } from "./text-to-speech.ts";

export interface SherpaOptions {
  /** The folder of a VITS, Piper, Matcha or Kokoro voice: see docs/operations.md. */
  readonly modelDir: string;
  /** CPU threads of one synthesis. */
  readonly threads: number;
  /** Syntheses at once; default: as many as fit on the cores. */
  readonly jobs?: number;
  /** A request that gives no answer for this long fails alone; default 30. */
  readonly deadlineSeconds?: number;
}

export const sherpaInfo = z.object({ sampleRateHz: z.number().positive(), speakers: z.number() });

export interface SherpaEngine extends TextToSpeech {
  /** For health and metrics. */
  readonly process: ModelProcess;
}

/** sherpa-onnx in a child process. Rejects with ENGINE_START_FAILED. */
export async function startSherpa(options: SherpaOptions, log: Log, signal?: AbortSignal): Promise<SherpaEngine> {
  const process = await startModelProcess({
    name: "speech synthesis model",
    model: options.modelDir,
    worker: workerUrl("sherpa-worker", import.meta.url),
    init: options,
    log,
    signal,
    limits: deadlineLimit(options.deadlineSeconds),
  });
  const { sampleRateHz, speakers } = sherpaInfo.parse(process.info);
  log.info({ engine: process.name, sampleRateHz, speakers }, "speech synthesis model ready");
  return {
    process,
    sampleRateHz,
    synthesize: (request, stop) => process.call<Float32Array>("synthesize", request, stop),
    close: () => process.close(),
  };
}

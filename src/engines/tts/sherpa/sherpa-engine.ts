import { z } from "zod";
import type { ModelProcess } from "../../../child-processes/model-process.ts";
import { startModelProcess } from "../../../child-processes/supervisor.ts";
import { deadlineLimit } from "../../../child-processes/process-limits.ts";
import { workerUrl } from "../../../child-processes/worker-url.ts";
import type { Log } from "../../../shared/log.ts";
import type { Speakers, TextToSpeech } from "../text-to-speech.ts";

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

export const sherpaInfo = z.object({
  sampleRateHz: z.number().positive(),
  /** 0 when the voice does not tell speakers apart. */
  speakers: z.number(),
  /** The speakers' names, in the order of their numbers. None when the voice names none. */
  names: z.array(z.string()),
});

export interface SherpaEngine extends TextToSpeech {
  readonly speakers: Speakers;
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
  const { sampleRateHz, speakers, names } = sherpaInfo.parse(process.info);
  log.info({ engine: process.name, sampleRateHz, speakers }, "speech synthesis model ready");
  return {
    process,
    sampleRateHz,
    speakers: { names, count: Math.max(1, speakers) },
    synthesize: (request, stop) => process.call<Float32Array>("synthesize", request, stop),
    close: () => process.close(),
  };
}

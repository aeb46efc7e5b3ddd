import { deadlineLimit, startModelProcess } from "../../process/supervisor.ts";
import { workerUrl } from "../../process/worker-url.ts";
import type { Log } from "../../../shared/log.ts";
import { speechToText, type SpeechToTextProcess } from "../recognizer.ts";

export interface WhisperNodeOptions {
  /** A whisper.cpp model file (ggml) that whisper.cpp 1.5.0 can read. */
  readonly path: string;
  /** Waiting threads spin, so use more than one only with idle cores. 0 or absent: 1. */
  readonly threads?: number;
  /** A request without progress for this long fails alone. Default 120, because each one starts a program and loads the model. */
  readonly deadlineSeconds?: number | undefined;
}

/** Sent to the worker at every start. */
export interface WhisperNodeInit {
  readonly modelPath: string;
  readonly threads: number;
}

/** The first start compiles the package's whisper.cpp. */
const START_MS = 600_000;

/**
 * The npm package `whisper-node` (whisper.cpp 1.5.0) in a child process. For every clip it starts a program, loads the model and
 * encodes 30 s. It exists for comparison.
 */
export async function startWhisperNode(
  options: WhisperNodeOptions,
  log: Log,
  signal?: AbortSignal,
): Promise<SpeechToTextProcess> {
  const init: WhisperNodeInit = { modelPath: options.path, threads: Math.max(1, options.threads ?? 1) };
  const process = await startModelProcess({
    name: "speech recognition",
    model: options.path,
    worker: workerUrl("whisper-node-worker", import.meta.url),
    init,
    log,
    signal,
    limits: { startMs: START_MS, ...deadlineLimit(options.deadlineSeconds ?? 120) },
  });
  return speechToText(process, init.threads);
}

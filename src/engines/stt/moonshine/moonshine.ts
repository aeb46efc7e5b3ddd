import { addAbortListener } from "node:events";
import { AbortScope } from "../../../shared/abort-scope.ts";
import type { Log } from "../../../shared/log.ts";
import { deadlineLimit, startModelProcess } from "../../process/supervisor.ts";
import { workerUrl } from "../../process/worker-url.ts";
import type { ScoredText } from "../ears/scored-text.ts";
import { speechToText, type HearingRecognizer, type SpeechToTextProcess } from "../recognizer.ts";

export interface MoonshineOptions {
  /** As scripts/models/moonshine_tiny.py writes it. */
  readonly folder: string;
  /** A request without progress for this long fails alone. Default 30. */
  readonly deadlineSeconds?: number | undefined;
}

/** Sent to the worker at every start. */
export interface MoonshineInit {
  readonly folder: string;
  readonly threads: number;
}

/** More threads make so small a model hardly faster. */
const THREADS = 1;

/** Moonshine in a child process. English only. Rejects with ENGINE_START_FAILED, whose message names the fault. */
export async function startMoonshine(
  { folder, deadlineSeconds }: MoonshineOptions,
  log: Log,
  signal?: AbortSignal,
): Promise<SpeechToTextProcess> {
  const process = await startModelProcess({
    name: "fast speech recognition",
    model: folder,
    worker: workerUrl("moonshine-worker", import.meta.url),
    init: { folder, threads: THREADS } satisfies MoonshineInit,
    log,
    signal,
    limits: deadlineLimit(deadlineSeconds),
    remedy: "Install the model again, or configure another one.",
  });
  return speechToText(process, THREADS);
}

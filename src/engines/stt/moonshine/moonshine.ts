import { statSync } from "node:fs";
import type { Log } from "../../../shared/log.ts";
import { startModelProcess } from "../../../child-processes/supervisor.ts";
import { deadlineLimit } from "../../../child-processes/process-limits.ts";
import { workerUrl } from "../../../child-processes/worker-url.ts";
import type { Heard } from "../decoded.ts";
import type { ScoredText } from "../ears/scored-text.ts";
import type { FastRecognizer } from "../ears/ear.ts";
import { speechToText, type CallerCalls, type SpeechToTextProcess } from "../recognizer.ts";

export interface MoonshineOptions {
  /** As scripts/models/moonshine_tiny.py writes it. */
  readonly folder: string;
  /** A request without progress for this long fails alone. Default 30. */
  readonly deadlineSeconds?: number | undefined;
}

/** Whether a model's path is a folder with Moonshine. Other recognisers are files. */
export const isMoonshine = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

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
): Promise<SpeechToTextProcess<FastRecognizer>> {
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
  return speechToText(process, { threads: THREADS, lanes: 1 }, openRecognizer);
}

function openRecognizer(calls: CallerCalls): FastRecognizer {
  return {
    transcribe: (request, signal) => calls.call<Heard>("transcribe", request, signal),
    score: (samples, texts, signal) => calls.call<readonly ScoredText[]>("score", { samples, texts }, signal),
    dictated: (samples, words, signal) => calls.call<string>("dictated", { samples, words }, signal),
    likeliest: (samples, groups, most, signal) =>
      calls.call<readonly string[]>("likeliest", { samples, groups, most }, signal),
    close: () => calls.close(),
  };
}

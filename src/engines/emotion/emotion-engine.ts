import { MODEL_HZ } from "../../audio/format.ts";
import type { ModelProcess } from "../../child-processes/model-process.ts";
import { startModelProcess } from "../../child-processes/supervisor.ts";
import { deadlineLimit } from "../../child-processes/process-limits.ts";
import { workerUrl } from "../../child-processes/worker-url.ts";
import type { Log } from "../../shared/log.ts";
import type { EmotionClassifier, EmotionScores } from "./emotion-classifier.ts";
import type { EmotionWorkerOptions } from "./emotion-worker.ts";
import { loadEmotionClassifier } from "./onnx-classifier.ts";

export interface EmotionOptions {
  /** The ONNX file; its JSON lies beside it. */
  readonly modelPath: string;
  /** A classification that takes more processor time would delay every caller, so the model gets a process of its own. */
  readonly maxInProcessMs?: number;
  /** In a process of its own, a classification without an answer for this long fails alone. Default 30. */
  readonly deadlineSeconds?: number;
}

/** Two thirds of a frame of audio; the starter model takes 5 ms, a large transformer hundreds. */
const DEFAULT_MAX_IN_PROCESS_MS = 20;
/** A model is slow when none of these looks was quick: what else the process does at its start is not the model's. */
const LEAST_LOOKS = 3;
const LEAST_LOOKS_MS = 1000;

/**
 * The emotion classifier, in this process when it is quick and in a child when it is not
 * (docs/decisions/0030-vad-in-process.md). Rejects with OakError MODEL_MISSING, MODEL_BROKEN or ENGINE_START_FAILED.
 */
export async function startEmotion(
  options: EmotionOptions,
  log: Log,
  signal?: AbortSignal,
): Promise<EmotionClassifier & { readonly process?: ModelProcess }> {
  const { modelPath, maxInProcessMs = DEFAULT_MAX_IN_PROCESS_MS } = options;
  const classifier = await loadEmotionClassifier(modelPath);
  const lookMs = await timeLook(classifier, maxInProcessMs);
  const inProcess = lookMs <= maxInProcessMs;
  log.info({ engine: "emotion model", lookMs: Math.round(lookMs), inProcess }, "emotion model loaded");
  if (inProcess) return classifier;

  await classifier.close();
  const child = await startModelProcess({
    name: "emotion model",
    model: modelPath,
    worker: workerUrl("emotion-worker", import.meta.url),
    init: { modelPath } satisfies EmotionWorkerOptions,
    log,
    signal,
    limits: deadlineLimit(options.deadlineSeconds),
  });
  const { labels, minSeconds, maxSeconds } = classifier;
  return {
    process: child,
    labels,
    minSeconds,
    maxSeconds,
    classify: (samples, stop) => child.call<EmotionScores>("classify", samples, stop),
    close: () => child.close(),
  };
}

/**
 * Processor time of the longest look there is, ms: what other programs take of the machine is not the model's. The first of no
 * more than `quickMs`, or the best of many, since what else this process does can only add to it.
 */
async function timeLook(classifier: EmotionClassifier, quickMs: number): Promise<number> {
  const { signal } = new AbortController();
  // The contract fixes 16 kHz.
  const clip = new Float32Array(Math.ceil(classifier.maxSeconds * MODEL_HZ));
  let best = Number.POSITIVE_INFINITY;
  let spentMs = 0;
  for (let looks = 0; best > quickMs && (looks < LEAST_LOOKS || spentMs < LEAST_LOOKS_MS); looks++) {
    const before = process.cpuUsage();
    await classifier.classify(clip, signal);
    const { user, system } = process.cpuUsage(before);
    const lookMs = (user + system) / 1000;
    spentMs += lookMs;
    best = Math.min(best, lookMs);
  }
  return best;
}

import type { ModelProcess } from "../engine/contract.ts";
import { startModelProcess } from "../engine/model-process.ts";
import { workerUrl } from "../engine/worker-url.ts";
import type { Log } from "../shared/log.ts";
import type { EmotionClassifier, EmotionScores } from "./contract.ts";
import type { EmotionWorkerOptions } from "./emotion-worker.ts";
import { loadEmotionClassifier } from "./onnx-classifier.ts";

export interface EmotionOptions {
  /** The ONNX file; its JSON lies beside it. */
  readonly modelPath: string;
  /** A look that takes more processor time than this would hold up every caller, so the model gets a process of its own. */
  readonly maxInProcessMs?: number;
}

/** Two thirds of a frame of audio; the starter model takes 5 ms, a large transformer hundreds. */
const DEFAULT_MAX_IN_PROCESS_MS = 20;
const TIMED_LOOKS = 3;

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
  const lookMs = await timeLook(classifier);
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
 * Processor time of the longest look there is, ms: what other programs take of the machine is not the model's. The best of a
 * few, since what else this process does can only add to it.
 */
async function timeLook(classifier: EmotionClassifier): Promise<number> {
  const { signal } = new AbortController();
  // The contract fixes 16 kHz.
  const clip = new Float32Array(Math.ceil(classifier.maxSeconds * 16_000));
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TIMED_LOOKS; i++) {
    const before = process.cpuUsage();
    await classifier.classify(clip, signal);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

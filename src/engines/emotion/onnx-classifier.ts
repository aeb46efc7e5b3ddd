import { MODEL_HZ } from "../../audio/format.ts";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { z } from "zod";
import { OakError } from "../../shared/errors.ts";
import { brokenModel, oneLine, openOnnxSession, readBeside, type OnnxSession } from "../onnx/onnx-session.ts";
import { Tensor } from "../onnx/onnxruntime.ts";
import type { EmotionClassifier, EmotionScores } from "./emotion-classifier.ts";

const WHAT = "emotion model";
const INPUT = "waveform";
const OUTPUT = "probabilities";

const factsSchema = z
  .object({
    labels: z.array(z.string().min(1)).min(2),
    sampleRateHz: z.literal(MODEL_HZ),
    minSeconds: z.number().positive(),
    maxSeconds: z.number().positive().max(60),
  })
  .refine((facts) => facts.minSeconds <= facts.maxSeconds, "minSeconds is above maxSeconds")
  .refine((facts) => new Set(facts.labels).size === facts.labels.length, "a label is there twice");

type Facts = z.output<typeof factsSchema>;

/**
 * An ONNX graph from `waveform` [1, N] (16 kHz, -1 to 1) to `probabilities` [1, labels], with its facts in a JSON file
 * of the same name beside it. Throws OakError `MODEL_MISSING` or `MODEL_BROKEN`.
 */
export async function loadEmotionClassifier(onnxPath: string): Promise<EmotionClassifier> {
  const session = await openOnnxSession(onnxPath, WHAT);
  try {
    const facts = await readFacts(onnxPath);
    const classifier = new OnnxClassifier(session, facts);
    await checkOnSilence(classifier, onnxPath);
    return classifier;
  } catch (error) {
    session.release();
    throw error;
  }
}

async function readFacts(onnxPath: string): Promise<Facts> {
  const path = onnxPath.replace(/\.onnx$/, "") + ".json";
  const text = await readBeside(path, WHAT);
  try {
    return factsSchema.parse(JSON.parse(text));
  } catch (cause) {
    const why =
      cause instanceof z.ZodError
        ? cause.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ")
        : oneLine(cause);
    throw brokenModel(path, WHAT, why, cause);
  }
}

/** The shortest and the longest clip once, so that a wrong graph fails at the start and not in the middle of a call. */
async function checkOnSilence(classifier: OnnxClassifier, path: string): Promise<void> {
  const { signal } = new AbortController();
  try {
    for (const seconds of [classifier.minSeconds, classifier.maxSeconds]) {
      await classifier.classify(new Float32Array(Math.ceil(seconds * MODEL_HZ)), signal);
    }
  } catch (cause) {
    throw brokenModel(path, WHAT, oneLine(cause), cause);
  }
}

class OnnxClassifier implements EmotionClassifier {
  readonly labels: readonly string[];
  readonly minSeconds: number;
  readonly maxSeconds: number;
  readonly #session: OnnxSession;
  #closed = false;

  constructor(session: OnnxSession, facts: Facts) {
    this.#session = session;
    this.labels = facts.labels;
    this.minSeconds = facts.minSeconds;
    this.maxSeconds = facts.maxSeconds;
  }

  /** Rejects with RangeError below `minSeconds`, OakError `EMOTION_CLOSED` after close, `EMOTION_FAILED` on an answer that is not a distribution. */
  async classify(samples: Float32Array, signal: AbortSignal): Promise<EmotionScores> {
    await yieldToEventLoop(); // The inference takes milliseconds: let waiting work and aborts run first.
    signal.throwIfAborted();
    if (this.#closed) throw new OakError("The emotion classifier is closed.", { code: "EMOTION_CLOSED" });
    const minSamples = Math.ceil(this.minSeconds * MODEL_HZ);
    if (samples.length < minSamples)
      throw new RangeError(`${minSamples} samples are needed at least, got ${samples.length}`);
    const maxSamples = Math.floor(this.maxSeconds * MODEL_HZ);
    const clip = samples.length > maxSamples ? samples.subarray(samples.length - maxSamples) : samples;
    const answer = this.#session.run({ [INPUT]: new Tensor("float32", clip, [1, clip.length]) });
    return this.#toScores(answer[OUTPUT]?.data);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#session.release();
  }

  #toScores(data: Tensor["data"] | undefined): EmotionScores {
    const values = data instanceof Float32Array ? data : new Float32Array(0);
    const sum = values.reduce((total, value) => total + value, 0);
    // Written so that NaN fails too.
    const isDistribution =
      values.length === this.labels.length && values.every((value) => value >= 0) && Math.abs(sum - 1) < 0.01;
    if (!isDistribution) {
      throw new OakError(`"${OUTPUT}" is not one probability for each of the ${this.labels.length} labels`, {
        code: "EMOTION_FAILED",
      });
    }
    return Object.fromEntries(this.labels.map((label, i) => [label, values[i]!]));
  }
}

import { MODEL_HZ } from "../../audio/format.ts";
import { existsSync } from "node:fs";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { z } from "zod";
import { OakError } from "../../shared/errors.ts";
import { brokenModel, oneLine, openOnnxSession, readBeside, type OnnxSession } from "../onnx-session.ts";
import { Tensor } from "../onnxruntime.ts";
import type { EndOfTurnModel } from "./end-of-turn-model.ts";
import { SentenceEnds, sentenceEndsSchema } from "../../language/en/sentence-ends.ts";

const WHAT = "end-of-turn model";
/** Recogniser confidence above which words begin to count, and from which they count fully. */
const GUESSED = 0.6;
const SURE = 0.85;

const factsSchema = z.object({
  sampleRateHz: z.literal(MODEL_HZ),
  seconds: z.number().positive().max(30),
  longestSilenceSeconds: z.number().positive().max(10),
});

/**
 * Loads an ONNX graph from `waveform` [1, N] (16 kHz) and `silence` [1] (seconds) to `probability` [1]. A JSON file of the
 * same name describes it, and an optional file has word odds. Runs on the calling thread. Throws OakError `MODEL_MISSING` or `MODEL_BROKEN`.
 */
export async function loadEndOfTurn(onnxPath: string, languages?: readonly string[]): Promise<EndOfTurnModel> {
  const session = await openOnnxSession(onnxPath, WHAT);
  try {
    const base = onnxPath.replace(/\.onnx$/, "");
    const facts = factsSchema.parse(JSON.parse(await readBeside(`${base}.json`, WHAT)));
    const wordsPath = `${base}-words.json`;
    const words = existsSync(wordsPath)
      ? new SentenceEnds(sentenceEndsSchema.parse(JSON.parse(await readBeside(wordsPath, WHAT))))
      : undefined;
    const model = new OnnxEndOfTurn(session, facts, words, languages);
    await model.probabilityOver(new Float32Array(0), 200);
    return model;
  } catch (cause) {
    session.release();
    if (cause instanceof OakError && cause.code === "MODEL_MISSING") throw cause;
    throw brokenModel(onnxPath, WHAT, oneLine(cause), cause);
  }
}

class OnnxEndOfTurn implements EndOfTurnModel {
  readonly languages: readonly string[] | undefined;
  readonly windowSamples: number;
  readonly #longestSilenceSeconds: number;
  readonly #session: OnnxSession;
  readonly #words: SentenceEnds | undefined;
  #closed = false;

  constructor(
    session: OnnxSession,
    facts: z.output<typeof factsSchema>,
    words: SentenceEnds | undefined,
    languages: readonly string[] | undefined,
  ) {
    this.windowSamples = Math.round(facts.seconds * MODEL_HZ);
    this.#longestSilenceSeconds = facts.longestSilenceSeconds;
    this.languages = languages;
    this.#session = session;
    this.#words = words;
  }

  /** Rejects with OakError `TURN_CLOSED` after close, `TURN_FAILED` on an answer outside 0 to 1. */
  async probabilityOver(samples: Float32Array, silentMs: number): Promise<number> {
    await yieldToEventLoop(); // The inference takes a millisecond or more: let waiting work run first.
    if (this.#closed) throw new OakError("The end-of-turn model is closed.", { code: "TURN_CLOSED" });
    const window = new Float32Array(this.windowSamples);
    const heard = samples.subarray(Math.max(0, samples.length - window.length));
    window.set(heard, window.length - heard.length);
    const seconds = Math.min(silentMs / 1000, this.#longestSilenceSeconds);
    const answer = this.#session.run({
      waveform: new Tensor("float32", window, [1, window.length]),
      silence: new Tensor("float32", Float32Array.of(seconds), [1]),
    });
    const probability: unknown = answer["probability"]?.data[0];
    if (typeof probability !== "number" || !(probability >= 0 && probability <= 1))
      throw new OakError("The end-of-turn model's answer is not a probability.", { code: "TURN_FAILED" });
    return probability;
  }

  oddsByWords(text: string, confidence: number, isAnswer: boolean): number {
    const trust = Math.min(1, Math.max(0, (confidence - GUESSED) / (SURE - GUESSED)));
    return trust * (this.#words?.odds(text, isAnswer) ?? 0);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#session.release();
  }
}

import { MODEL_HZ } from "../../audio/format.ts";
import { existsSync } from "node:fs";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { z } from "zod";
import { OakError } from "../../shared/errors.ts";
import { brokenModel, oneLine, openOnnxSession, readBeside, type OnnxSession } from "../onnx/onnx-session.ts";
import { logOdds, probabilityOf } from "./probability.ts";
import { Tensor } from "../onnx/onnxruntime.ts";
import type { EndOfTurnModel } from "./end-of-turn-model.ts";
import { SentenceEnds, sentenceEndsSchema } from "../../language/packs/en/sentence-ends.ts";
import { MelodyModel } from "./melody-model.ts";

const WHAT = "end-of-turn model";
/** Recogniser confidence above which words begin to count, and from which they count fully. */
const GUESSED = 0.6;
const SURE = 0.85;
/** Weights of both models' log odds, and what is added. Chosen on pauses of people (docs/decisions/0042-end-of-turn.md). */
const OWN_WEIGHT = 0.65;
const MELODY_WEIGHT = 0.5;
const SHIFT = 1;

const factsSchema = z.object({
  sampleRateHz: z.literal(MODEL_HZ),
  seconds: z.number().positive().max(30),
  longestSilenceSeconds: z.number().positive().max(10),
});

/**
 * Loads an ONNX graph from `waveform` [1, N] (16 kHz) and `silence` [1] (seconds) to `probability` [1]. A JSON file of the
 * same name describes it. Two optional files beside it have word odds and a melody model. Runs on the calling thread. Throws OakError `MODEL_MISSING` or `MODEL_BROKEN`.
 */
export async function loadEndOfTurn(onnxPath: string, languages?: readonly string[]): Promise<EndOfTurnModel> {
  const session = await openOnnxSession(onnxPath, WHAT);
  let melody: MelodyModel | undefined;
  try {
    const base = onnxPath.replace(/\.onnx$/, "");
    const facts = factsSchema.parse(JSON.parse(await readBeside(`${base}.json`, WHAT)));
    const wordsPath = `${base}-words.json`;
    const words = existsSync(wordsPath)
      ? new SentenceEnds(sentenceEndsSchema.parse(JSON.parse(await readBeside(wordsPath, WHAT))))
      : undefined;
    const melodyPath = `${base}-melody.onnx`;
    melody = existsSync(melodyPath) ? new MelodyModel(await openOnnxSession(melodyPath, WHAT)) : undefined;
    const model = new OnnxEndOfTurn(session, { facts, words, melody, languages });
    await model.probabilityOver(new Float32Array(0), 200, await model.melodyOdds(new Float32Array(0)));
    return model;
  } catch (cause) {
    session.release();
    melody?.close();
    if (cause instanceof OakError && cause.code === "MODEL_MISSING") throw cause;
    throw brokenModel(onnxPath, WHAT, oneLine(cause), cause);
  }
}

interface Parts {
  readonly facts: z.output<typeof factsSchema>;
  readonly words: SentenceEnds | undefined;
  readonly melody: MelodyModel | undefined;
  readonly languages: readonly string[] | undefined;
}

class OnnxEndOfTurn implements EndOfTurnModel {
  readonly languages: readonly string[] | undefined;
  readonly windowSamples: number;
  readonly melodySamples: number;
  readonly #longestSilenceSeconds: number;
  readonly #session: OnnxSession;
  readonly #words: SentenceEnds | undefined;
  readonly #melody: MelodyModel | undefined;
  #closed = false;

  constructor(session: OnnxSession, { facts, words, melody, languages }: Parts) {
    this.windowSamples = Math.round(facts.seconds * MODEL_HZ);
    this.#longestSilenceSeconds = facts.longestSilenceSeconds;
    this.languages = languages;
    this.#session = session;
    this.#words = words;
    this.#melody = melody;
    this.melodySamples = melody?.windowSamples ?? 0;
  }

  /** Rejects like `probabilityOver`. */
  async melodyOdds(samples: Float32Array): Promise<number | undefined> {
    await this.#turnOfEventLoop();
    return this.#melody?.odds(samples);
  }

  /** Rejects with OakError `TURN_CLOSED` after close, `TURN_FAILED` on an answer outside 0 to 1. */
  async probabilityOver(samples: Float32Array, silentMs: number, melodyOdds?: number): Promise<number> {
    await this.#turnOfEventLoop();
    const window = new Float32Array(this.windowSamples);
    const heard = samples.subarray(Math.max(0, samples.length - window.length));
    window.set(heard, window.length - heard.length);
    const seconds = Math.min(silentMs / 1000, this.#longestSilenceSeconds);
    const answer = this.#session.run({
      waveform: new Tensor("float32", window, [1, window.length]),
      silence: new Tensor("float32", Float32Array.of(seconds), [1]),
    });
    const probability = probabilityOf(answer);
    if (melodyOdds === undefined) return probability;
    const odds = OWN_WEIGHT * logOdds(probability) + MELODY_WEIGHT * melodyOdds + SHIFT;
    return 1 / (1 + Math.exp(-odds));
  }

  /** The inference takes milliseconds: let waiting work run first. */
  async #turnOfEventLoop(): Promise<void> {
    await yieldToEventLoop();
    if (this.#closed) throw new OakError("The end-of-turn model is closed.", { code: "TURN_CLOSED" });
  }

  oddsByWords(text: string, confidence: number, isAnswer: boolean): number {
    const trust = Math.min(1, Math.max(0, (confidence - GUESSED) / (SURE - GUESSED)));
    return trust * (this.#words?.odds(text, isAnswer) ?? 0);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#session.release();
    this.#melody?.close();
  }
}

import { MODEL_HZ } from "../../audio/format.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "../../simulated-callers/statistics.ts";
import { resampleAll } from "../../audio/resampler.ts";
import { readWav } from "../../audio/wav.ts";
import type { CatalogModel } from "../../config/model-catalog.ts";
import { packageRoot } from "../../shared/package-root.ts";
import type { ModelsConfig } from "../../config/server-config.ts";
import { noTools } from "../../engines/llm/language-model.ts";
import { engineStarters } from "../../service/engine-starters.ts";
import { silentLog } from "../../shared/log.ts";

/** One model on an idle machine. */
export interface AloneTimes {
  /** Time of one final decode of `CLIP_SECONDS` of speech. */
  readonly decodeMs?: number;
  readonly threads?: number;
  /** Undefined for a model whose number of tokens is not known. */
  readonly prefillTokensPerSecond?: number | undefined;
  /** Undefined for a model that writes less than two pieces of text. */
  readonly decodeTokensPerSecond?: number | undefined;
  /** A short clause of speech. */
  readonly clauseMs?: number;
}

export const CLIP_SECONDS = 3;
const MAX_ROUNDS = 5;
/** No further round begins after this. */
const ENOUGH_MS = 8_000;

const CLAUSE = "Of course, I can help you with that.";
/** Each word is one token in the vocabularies of published models. */
const PROMPT_WORDS = 400;
/** Tokens of the chat template around one message: begin and role, end, and begin of the answer. The prefill omits the last one. */
const TEMPLATE_TOKENS = 7;

/** @param isCounted Whether each word of the prompt is one token. */
export async function timeAlone(
  { role }: CatalogModel,
  path: string,
  isCounted: boolean,
  models: ModelsConfig,
  signal: AbortSignal,
): Promise<AloneTimes> {
  const start = engineStarters({ models }, 1, silentLog, signal);
  if (role === "stt") {
    const stt = await start.stt(path);
    try {
      const recognizer = stt.open();
      const request = { samples: clip(), kind: "final", language: "en" } as const;
      const decodeMs = await medianOf(() => msOf(() => recognizer.transcribe(request, signal)));
      return { decodeMs, threads: stt.threads };
    } finally {
      await stt.close();
    }
  }
  if (role === "tts") {
    const tts = await start.tts(path);
    try {
      return {
        clauseMs: await medianOf(() => msOf(() => tts.synthesize({ text: CLAUSE, voice: "", speed: 1 }, signal))),
      };
    } finally {
      await tts.close();
    }
  }
  const llm = await start.llm(path);
  try {
    let round = 0;
    const prefillTokensPerSecond = await medianOf(async () => {
      const session = llm.open();
      // Another beginning each time: nothing of the round before may be used again.
      const words = Array.from({ length: PROMPT_WORDS }, (_, at) => (at === round ? "real" : "models"));
      round += 1;
      const messages = [{ role: "user", content: words.join(" ") }] as const;
      const ms = await msOf(() => session.prefill({ ...noTools, messages }, signal));
      session.close();
      return (1000 * (PROMPT_WORDS + TEMPLATE_TOKENS)) / ms;
    });
    const decodeTokensPerSecond = await medianOf(async () => {
      const session = llm.open();
      const messages = [{ role: "user", content: "what can you do for me today" }] as const;
      const times: number[] = [];
      for await (const _ of session.generate({ ...noTools, messages, maxTokens: 64, temperature: 0 }, signal))
        times.push(performance.now());
      session.close();
      return (1000 * (times.length - 1)) / ((times.at(-1) ?? NaN) - (times[0] ?? NaN));
    });
    return {
      prefillTokensPerSecond: isCounted ? prefillTokensPerSecond : undefined,
      decodeTokensPerSecond: Number.isNaN(decodeTokensPerSecond) ? undefined : decodeTokensPerSecond,
    };
  } finally {
    await llm.close();
  }
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const beganMs = performance.now();
  const values: number[] = [];
  while (values.length < MAX_ROUNDS && (values.length === 0 || performance.now() - beganMs < ENOUGH_MS))
    values.push(await measure());
  return quantile(values, 0.5);
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function clip(): Float32Array {
  const { samples, sampleRateHz } = readWav(readFileSync(join(packageRoot, "scripts", "talk-sample.wav")));
  const speech = new Float32Array(CLIP_SECONDS * MODEL_HZ);
  speech.set(resampleAll(samples, sampleRateHz, MODEL_HZ).subarray(0, speech.length));
  return speech;
}

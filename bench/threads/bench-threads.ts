/** Times the language model while recognition and speech run, for each choice of threads. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { numberOf } from "../../src/shared/options.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { startLlama, type LlamaEngine } from "../../src/engines/llm/llama/llama-engine.ts";
import { loadModelCatalog, modelPath, namedModel } from "../../src/config/model-catalog.ts";
import { silentLog } from "../../src/shared/log.ts";
import { textTable } from "../../src/shared/text-table.ts";
import { startWhisperCpp } from "../../src/engines/stt/whisper/whisper-cpp.ts";
import { noTools } from "../../src/engines/llm/language-model.ts";
import { startSherpa } from "../../src/engines/tts/sherpa/sherpa-engine.ts";
import { readOptions } from "../options.ts";

const USAGE = `npm run bench:threads -- [--stt ID] [--llm ID] [--recognition 1x1,2x1] [--language-model 1,2] --dir DIR
--dir: a data directory with both models installed ("oakvoice models install ID").
--recognition: threads x lanes. Prefix the command with "taskset -c 0,1" to measure a machine with two cores.`;

const {
  stt,
  llm,
  dir,
  recognition,
  "language-model": languageModel,
} = readOptions(USAGE, {
  stt: { type: "string", default: "whisper-base.en-q8_0" },
  llm: { type: "string", default: "qwen2.5-1.5b-instruct-q4_k_m" },
  recognition: { type: "string", default: "1x1,1x2,2x1,2x2,3x1" },
  "language-model": { type: "numbers", default: "1,2,3,4" },
  dir: { type: "string", default: "data" },
});

const { signal } = new AbortController();
const CLIP_SAMPLES = 3 * 16_000;
const PROMPT_WORDS = 100;
const REPLY_TOKENS = 24;
const ROUNDS = 3;
/** Longest time for a reply, because spinning threads may take minutes. */
const MOST_MS = 2_500;
let round = 0;
const CLAUSE = "Of course, I can help you with that.";

/** Work that is repeated until `stop`. */
interface Load {
  /** Ends the load and returns the median time of one piece of work, ms. */
  stop(): Promise<number>;
}

const sttFile = file(stt, "stt");
const llmFile = file(llm, "llm");
const tts = await startSherpa({ modelDir: join(packageRoot, "models", "starter", "tts"), threads: 1 }, silentLog);
const speak = () => repeat(1, () => tts.synthesize({ text: CLAUSE, voice: "", speed: 1 }, signal));
const rows = [
  ["recognition", "language model", "decode of 3 s, ms", "beside a prefill", "beside a reply", "prefill, tokens/s", "beside recognition", "reply, tokens/s", "beside recognition", "and speech"],
]; // prettier-ignore
for (const threads of languageModel) {
  const model = await startLlama(
    { modelPath: llmFile, gpu: "off", threads, replyThreads: threads, contextTokens: 1_024, sequences: 1 },
    silentLog,
  );
  const prefillAlone = await median(() => prefill(model));
  const replyAlone = await median(() => reply(model));
  for (const choice of recognition.split(",")) {
    const [sttThreads = 1, lanes = 1] = choice.split("x").map((count) => numberOf("recognition", count));
    const recogniser = await startWhisperCpp(
      { path: sttFile, threads: sttThreads, lanes, contextRule: { floorSeconds: 10, marginSeconds: 2 } },
      silentLog,
    );
    const speakers = Array.from({ length: lanes }, () => recogniser.open());
    const request = { samples: new Float32Array(CLIP_SAMPLES), kind: "final", language: "en" } as const;
    const recognise = () => repeat(lanes, (lane) => speakers[lane]!.transcribe(request, signal));
    const alone = recognise();
    await median(() => new Promise((resolve) => setTimeout(resolve, 700, 0)));
    const aloneMs = await alone.stop();
    const beside = async (measure: () => Promise<number>) => {
      const load = recognise();
      const value = await median(measure);
      return { value, ms: await load.stop() };
    };
    const prefillBeside = await beside(() => prefill(model));
    const replyBeside = await beside(() => reply(model));
    const speech = speak();
    const all = await beside(() => reply(model));
    await speech.stop();
    rows.push([
      `${String(sttThreads)} x ${String(lanes)}`, String(threads),
      aloneMs.toFixed(0), prefillBeside.ms.toFixed(0), replyBeside.ms.toFixed(0),
      prefillAlone.toFixed(0), prefillBeside.value.toFixed(0),
      replyAlone.toFixed(1), replyBeside.value.toFixed(1), all.value.toFixed(1),
    ]); // prettier-ignore
    await recogniser.close();
    process.stderr.write(`${(rows.at(-1) ?? []).join("  ")}\n`);
  }
  await model.close();
}
await tts.close();
console.log(`${String(availableParallelism())} cores\n${textTable(rows)}`);

function file(id: string, role: "stt" | "llm"): string {
  return modelPath(namedModel(loadModelCatalog(), role, id), dir);
}

async function prefill(model: LlamaEngine): Promise<number> {
  const session = model.open();
  round += 1;
  const words = Array.from({ length: PROMPT_WORDS }, (_, at) => (at === round % PROMPT_WORDS ? "real" : "models"));
  const startedMs = performance.now();
  await session.prefill({ ...noTools, messages: [{ role: "user", content: words.join(" ") }] }, signal);
  const ms = performance.now() - startedMs;
  session.close();
  return (1000 * PROMPT_WORDS) / ms;
}

async function reply(model: LlamaEngine): Promise<number> {
  const session = model.open();
  const times: number[] = [];
  const messages = [{ role: "user", content: "what can you do for me today" }] as const;
  for await (const _ of session.generate({ ...noTools, messages, maxTokens: REPLY_TOKENS, temperature: 0 }, signal)) {
    times.push(performance.now());
    if (times.length > 1 && performance.now() - (times[0] ?? 0) > MOST_MS) break;
  }
  session.close();
  return (1000 * (times.length - 1)) / ((times.at(-1) ?? NaN) - (times[0] ?? NaN));
}

function repeat(count: number, work: (which: number) => Promise<unknown>): Load {
  let stopped = false;
  const times: number[] = [];
  const workers = Array.from({ length: count }, async (_, which) => {
    while (!stopped) {
      const startedMs = performance.now();
      await work(which);
      times.push(performance.now() - startedMs);
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(workers);
      return middle(times);
    },
  };
}

async function median(measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  while (values.length < ROUNDS) values.push(await measure());
  return middle(values);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

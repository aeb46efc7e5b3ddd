import { MODEL_HZ } from "../../audio/format.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resampleAll } from "../../audio/resampler.ts";
import { readWav } from "../../audio/wav.ts";
import { packageRoot } from "../../shared/package-root.ts";
import type { ServerConfig } from "../../config/server-config.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import { readVoices } from "../../service/read-voices.ts";
import { ModelLanguages } from "../../service/model-languages.ts";
import { engineStarters } from "../../service/engine-starters.ts";
import { noTools, type LanguageModel } from "../../engines/llm/language-model.ts";
import type { ModelProcess } from "../../child-processes/model-process.ts";
import { llamaInfo } from "../../engines/llm/llama/llama-engine.ts";
import { errorMessage, OakError } from "../../shared/errors.ts";
import { silentLog } from "../../shared/log.ts";
import { parseOptions, usageError } from "../../shared/options.ts";
import { print as printLine } from "../../shared/standard-output.ts";
import { checkCluster } from "./check-cluster.ts";
import { estimateCapacity, type Timings } from "./capacity.ts";
import { examineMachine, residentMb, swappedMb } from "../../resources/examine-machine.ts";
import { findFaults } from "./findings.ts";
import { planFor } from "./plan.ts";
import { describeReport, type Report } from "./report.ts";
import { stopTimeFaults } from "./stop-time.ts";

const ROUNDS = 5;
const PAUSE_MS = 300;
const NOTHING_WRITTEN =
  "The language model wrote nothing: check that models.llm.path is a complete chat model, or configure another one.";
const SENTENCE = "Of course, I can help you with that.";

/**
 * `oakvoice doctor`: loads each engine of the server, times it on a clip, and estimates how many callers the machine carries.
 * `--choose-profile` rehearses profiles instead and names the one for this machine.
 * If a required engine does not work, the report is printed and the engine's error is thrown.
 * @param args Arguments after `doctor`.
 * @returns The text to print. @throws OakError `USAGE`, or the error of the first engine that does not work.
 */
export async function doctorCommand(
  args: readonly string[],
  config: ServerConfig,
  print: (text: string) => unknown = printLine,
): Promise<string> {
  const options = { json: { type: "boolean" }, "choose-profile": { type: "boolean" } } as const;
  const { values, positionals } = parseOptions("doctor", args, options);
  if (positionals[0] !== undefined) throw usageError("doctor", `Unexpected argument '${positionals[0]}'`);
  if (values["choose-profile"] === true) {
    // A rehearsal imports the bench.
    const { chooseProfileHere, describeChoice } = await import("../profile/profile-choice.ts");
    return describeChoice(await chooseProfileHere(config));
  }
  const { report, errors } = await examine(config);
  const text = values.json === true ? JSON.stringify(report, null, 2) : describeReport(report);
  const [error] = errors;
  if (error === undefined) return text;
  await print(text);
  throw error;
}

interface Examination {
  readonly report: Report;
  /** Errors of the required engines. */
  readonly errors: readonly unknown[];
}

async function examine(config: ServerConfig): Promise<Examination> {
  const running: Engine[] = [];
  try {
    return await timeEngines(config, running);
  } finally {
    for (const engine of running) await engine.close();
  }
}

interface Engine {
  /** Two engines that act as one. */
  readonly parts?: readonly Engine[];
  readonly process?: ModelProcess | undefined;
  close(): Promise<void>;
}

/** `running` collects every started engine. The caller of this function closes them. */
async function timeEngines(config: ServerConfig, running: Engine[]): Promise<Examination> {
  const loadSeconds: Record<string, number> = {};
  const errors: unknown[] = [];
  const clip = sampleClip();
  const { signal } = new AbortController();

  /** Engines run one after the other, so that their times do not mix. Undefined if the engine does not start or fails. */
  const time = async <Kind extends Engine, Times>(
    name: string,
    start: () => Promise<Kind>,
    use: (engine: Kind) => Promise<Times>,
    onError: (error: unknown) => void = (error) => void errors.push(error),
  ): Promise<Times | undefined> => {
    try {
      const startedMs = performance.now();
      const engine = await start();
      running.push(engine);
      loadSeconds[name] = (performance.now() - startedMs) / 1000;
      return await use(engine);
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
  let voices: readonly VoiceConfiguration[] = [];
  try {
    voices = await readVoices(config);
    const modelLanguages = new ModelLanguages(config);
    for (const voice of voices) modelLanguages.require(voice);
  } catch (error) {
    errors.push(error);
  }
  const machine = await examineMachine(config.dataDir);
  const start = engineStarters(config, 1, silentLog);
  const plan = await planFor(config, machine, await start.graphics(), voices);
  const vad = await time("voice activity", start.vad, async (engine) => {
    const detector = engine.open();
    const frame = clip.subarray(0, detector.frameSamples);
    const vadMs = await medianMs(async () => detector.speechProbability(frame));
    return { vadMs, vadFrameMs: (detector.frameSamples / MODEL_HZ) * 1000 };
  });
  const stt = await time("speech recognition", start.stt, async (engine) => {
    const recognizer = engine.open();
    const request = { samples: clip, kind: "final", language: "en" } as const;
    const sttMs = await medianMs(() => recognizer.transcribe(request, signal));
    recognizer.close();
    return { sttMs, sttClipMs: (clip.length / MODEL_HZ) * 1000, sttThreads: engine.threads };
  });
  const llm = await time("language model", start.llm, async (engine) => {
    const times = await timeLanguageModel(engine);
    // A remote model takes nothing of this machine.
    if (engine.process === undefined) return { ...times, llmThreads: 0, llmOnGpu: false };
    const facts = llamaInfo.parse(engine.process.info);
    return { ...times, llmThreads: facts.replyThreads, llmOnGpu: facts.gpu !== false };
  });
  const tts = await time("speech synthesis", start.tts, async (engine) => {
    let ttsClipMs = 0;
    const ttsMs = await medianMs(async () => {
      const said = await engine.synthesize({ text: SENTENCE, voice: "", speed: 1 }, signal);
      ttsClipMs = (said.length / engine.sampleRateHz) * 1000;
    });
    return { ttsMs, ttsClipMs, ttsIsRemote: engine.process === undefined };
  });
  const emotionMs = await time("emotion", start.emotion, (engine) =>
    medianMs(() => engine.classify(clip.subarray(0, engine.maxSeconds * MODEL_HZ), signal)),
  );
  let withoutEndOfTurn: string | undefined;
  const endOfTurnMs = await time(
    "end of turn",
    start.endOfTurn,
    (engine) => medianMs(async () => engine.probabilityOver(clip, PAUSE_MS, await engine.melodyOdds(clip))),
    (error) => (withoutEndOfTurn = `${errorMessage(error)} Until then turns end by silence alone.`),
  );

  const cluster = await checkCluster(config).catch((error: unknown) => {
    errors.push(error);
    return { lines: [], faults: [] };
  });
  const timings: Partial<Timings> = { ...vad, ...stt, ...llm, ...tts };
  const parts = running.flatMap((engine) => engine.parts ?? [engine]);
  const memory = parts.flatMap(({ process: child }) => {
    const { name, pid = 0 } = child ?? {};
    return name === undefined ? [] : [{ name, residentMb: residentMb(pid), swappedMb: swappedMb(pid) }];
  });
  const capacity = vad && stt && llm && tts && estimateCapacity({ ...vad, ...stt, ...llm, ...tts }, machine.cores);
  const faults = [
    ...errors.map(errorMessage),
    ...plan.faults,
    ...cluster.faults,
    ...stopTimeFaults(config.limits),
    ...findFaults(await examineMachine(config.dataDir), timings, memory),
    ...(withoutEndOfTurn === undefined ? [] : [withoutEndOfTurn]),
  ];
  const report = {
    machine,
    plan: [...plan.lines, ...cluster.lines],
    loadSeconds,
    timings,
    emotionMs,
    endOfTurnMs,
    memory,
    capacity,
    faults,
  };
  return { report, errors };
}

async function timeLanguageModel(llm: LanguageModel) {
  const session = llm.open();
  const messages = [
    { role: "system", content: "You are a voice assistant. Answer in one short sentence." },
    { role: "user", content: "hello, what can you do for me today" },
  ] as const;
  const rounds: { firstMs: number; tokenMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now();
    let firstMs = 0;
    let pieces = 0;
    const request = { ...noTools, messages, maxTokens: 40, temperature: 0 };
    for await (const _ of session.generate(request, new AbortController().signal)) {
      if (pieces === 0) firstMs = performance.now() - startedMs;
      pieces += 1;
    }
    if (pieces === 0) throw new OakError(NOTHING_WRITTEN, { code: "LLM_SAID_NOTHING" });
    const restMs = performance.now() - startedMs - firstMs;
    rounds.push({ firstMs, tokenMs: pieces === 1 ? firstMs : restMs / (pieces - 1) });
  }
  session.close();
  return { llmFirstMs: median(rounds.map((r) => r.firstMs)), llmTokenMs: median(rounds.map((r) => r.tokenMs)) };
}

/** The first round does not count, because it fills caches and reads pages. */
async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedMs = performance.now();
    await work();
    if (round > 0) times.push(performance.now() - startedMs);
  }
  return median(times);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function sampleClip(): Float32Array {
  const { samples, sampleRateHz } = readWav(readFileSync(join(packageRoot, "scripts", "talk-sample.wav")));
  return resampleAll(samples, sampleRateHz, MODEL_HZ);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resampleAll } from "../audio/resampler.ts";
import { readWav } from "../audio/wav.ts";
import { packageRoot } from "../config/package-root.ts";
import type { ServerConfig } from "../config/server-config.ts";
import { engineStarters } from "../engines.ts";
import type { LanguageModel } from "../llm/contract.ts";
import { llamaInfo } from "../llm/llama-engine.ts";
import { errorMessage } from "../shared/errors.ts";
import { silentLog } from "../shared/log.ts";
import { parseOptions, usageError } from "../shared/options.ts";
import { textTable } from "../shared/text-table.ts";
import { estimateCapacity, type Capacity, type Timings } from "./capacity.ts";
import { examineMachine, residentMb, swappedMb, type MachineFacts } from "./examine.ts";
import { findFaults, type EngineMemory } from "./findings.ts";

export const DOCTOR_USAGE = "oakvoice doctor [--json]";

const HEARING_HZ = 16_000;
const ROUNDS = 5;
const PAUSE_MS = 300;
const SENTENCE = "Of course, I can help you with that.";

export interface Report {
  readonly machine: MachineFacts;
  /** To loaded and warm, seconds. */
  readonly loadSeconds: Readonly<Record<string, number>>;
  readonly timings: Timings;
  readonly emotionMs: number;
  /** Undefined when its model cannot be used; the server runs without it. */
  readonly endOfTurnMs: number | undefined;
  readonly memory: readonly EngineMemory[];
  readonly capacity: Capacity;
  readonly faults: readonly string[];
}

/**
 * `oakvoice doctor`: loads each engine the server would run, times it on a clip, and says what the box will carry.
 * @param args What follows `doctor`.
 * @returns What to print. @throws OakError `USAGE`, or the error of the engine that does not start.
 */
export async function doctorCommand(args: readonly string[], config: ServerConfig): Promise<string> {
  const { values, positionals } = parseOptions("doctor", args, { json: { type: "boolean" } });
  if (positionals[0] !== undefined) throw usageError("doctor", `Unexpected argument '${positionals[0]}'`);
  const report = await examine(config);
  return values.json === true ? JSON.stringify(report, null, 2) : describeReport(report);
}

async function examine(config: ServerConfig): Promise<Report> {
  const running: { close(): Promise<void> }[] = [];
  try {
    return await timeEngines(config, running);
  } finally {
    for (const engine of running) await engine.close();
  }
}

/** `running` receives each engine that was started, for the caller to close. */
async function timeEngines(config: ServerConfig, running: { close(): Promise<void> }[]): Promise<Report> {
  const loadSeconds: Record<string, number> = {};
  // One after the other, so that each one's time is its own.
  const load = async <Engine extends { close(): Promise<void> }>(name: string, start: () => Promise<Engine>) => {
    const startedMs = performance.now();
    const engine = await start();
    running.push(engine);
    loadSeconds[name] = (performance.now() - startedMs) / 1000;
    return engine;
  };
  const start = engineStarters(config, 1, silentLog);
  const vad = await load("voice activity", () => start.vad());
  const stt = await load("speech recognition", () => start.stt());
  const llm = await load("language model", () => start.llm());
  const tts = await load("speech synthesis", () => start.tts());
  const emotion = await load("emotion", () => start.emotion());
  const endOfTurn = await load("end of turn", start.endOfTurn).catch(errorMessage);

  const { signal } = new AbortController();
  const clip = sampleClip();
  const detector = vad.open();
  const frame = clip.subarray(0, detector.frameSamples);
  const vadMs = await medianMs(async () => detector.speechProbability(frame));
  const recognizer = stt.open();
  const sttMs = await medianMs(() => recognizer.transcribe({ samples: clip, kind: "final", language: "en" }, signal));
  recognizer.close();
  const { firstMs, tokenMs } = await timeLanguageModel(llm);
  let ttsClipMs = 0;
  const ttsMs = await medianMs(async () => {
    const said = await tts.synthesize({ text: SENTENCE, voice: "", speed: 1 }, signal);
    ttsClipMs = (said.length / tts.sampleRateHz) * 1000;
  });
  const emotionMs = await medianMs(() => emotion.classify(clip.subarray(0, emotion.maxSeconds * HEARING_HZ), signal));

  const endOfTurnMs =
    typeof endOfTurn === "string" ? undefined : await medianMs(() => endOfTurn.probabilityOver(clip, PAUSE_MS));

  const facts = llamaInfo.parse(llm.process.info);
  const timings: Timings = {
    vadMs,
    vadFrameMs: (detector.frameSamples / HEARING_HZ) * 1000,
    sttMs,
    sttClipMs: (clip.length / HEARING_HZ) * 1000,
    sttThreads: stt.threads,
    llmFirstMs: firstMs,
    llmTokenMs: tokenMs,
    llmThreads: facts.threads,
    llmOnGpu: facts.gpu !== false,
    ttsMs,
    ttsClipMs,
  };
  const memory = [stt, llm, tts].map(({ process: { name, pid = 0 } }) => {
    return { name, residentMb: residentMb(pid), swappedMb: swappedMb(pid) };
  });
  const machine = await examineMachine(config.dataDir);
  const capacity = estimateCapacity(timings, machine.cores);
  const faults = findFaults(machine, timings, memory);
  if (typeof endOfTurn === "string") faults.push(`${endOfTurn} Until then turns end by silence alone.`);
  return { machine, loadSeconds, timings, emotionMs, endOfTurnMs, memory, capacity, faults };
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
    const request = { messages, maxTokens: 40, temperature: 0 };
    for await (const _ of session.generate(request, new AbortController().signal)) {
      if (pieces === 0) firstMs = performance.now() - startedMs;
      pieces += 1;
    }
    const restMs = performance.now() - startedMs - firstMs;
    rounds.push({ firstMs, tokenMs: restMs / Math.max(1, pieces - 1) });
  }
  session.close();
  return { firstMs: median(rounds.map((r) => r.firstMs)), tokenMs: median(rounds.map((r) => r.tokenMs)) };
}

/** After one round that does not count: caches fill, pages are read. */
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
  return resampleAll(samples, sampleRateHz, HEARING_HZ);
}

export function describeReport({
  machine,
  loadSeconds,
  timings: t,
  emotionMs,
  endOfTurnMs,
  memory,
  capacity,
  faults,
}: Report): string {
  const { cpu, cores, memoryMb, gpu, node } = machine;
  const mb = (name: string) => memory.find((entry) => entry.name.startsWith(name))?.residentMb.toFixed(0) ?? "";
  const rows = [
    ["engine", "loaded in", "one request", "real-time factor", "memory"],
    ["voice activity", seconds(loadSeconds["voice activity"]), ms(t.vadMs), factor(t.vadMs, t.vadFrameMs), ""],
    ["speech recognition", seconds(loadSeconds["speech recognition"]), ms(t.sttMs), factor(t.sttMs, t.sttClipMs), `${mb("speech recognition")} MB`],
    ["language model", seconds(loadSeconds["language model"]), `${ms(t.llmFirstMs)}, then ${(1000 / t.llmTokenMs).toFixed(0)} tokens/s`, "", `${mb("language")} MB`],
    ["speech synthesis", seconds(loadSeconds["speech synthesis"]), ms(t.ttsMs), factor(t.ttsMs, t.ttsClipMs), `${mb("speech synthesis")} MB`],
    ["emotion", seconds(loadSeconds["emotion"]), ms(emotionMs), "", ""],
    endOfTurnMs === undefined ? ["end of turn", "not loaded", "", "", ""] : ["end of turn", seconds(loadSeconds["end of turn"]), ms(endOfTurnMs), "", ""],
  ]; // prettier-ignore
  return [
    `${cpu}, ${String(cores)} cores, ${(memoryMb / 1000).toFixed(0)} GB; GPU: ${gpu ?? "none found"}; Node ${node}`,
    "",
    textTable(rows),
    "",
    `about ${String(capacity.callers)} ${capacity.callers === 1 ? "caller" : "callers"} at once (${capacity.coresPerCaller.toFixed(2)} cores each); ` +
      `the first sound ${capacity.answerMs.toFixed(0)} ms after the end of a turn when nothing was prepared`,
    ...(faults.length === 0 ? ["nothing is wrong"] : faults.map((fault) => `! ${fault}`)),
  ].join("\n");
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const seconds = (value = 0): string => `${value.toFixed(1)} s`;
const factor = (workMs: number, audioMs: number): string => (workMs / audioMs).toFixed(3);

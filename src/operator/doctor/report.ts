import { textTable } from "../../shared/text-table.ts";
import type { Capacity, Timings } from "./capacity.ts";
import type { MachineFacts } from "../../resources/examine-machine.ts";
import type { EngineMemory } from "./findings.ts";

export interface Report {
  readonly machine: MachineFacts;
  /** Resources of the server, one line for each of: threads, memory, profile. */
  readonly plan: readonly string[];
  /** Seconds until loaded and warm. */
  readonly loadSeconds: Readonly<Record<string, number>>;
  /** Times of the engines that work. */
  readonly timings: Partial<Timings>;
  readonly emotionMs: number | undefined;
  /** Undefined if the model cannot be used. The server runs without it. */
  readonly endOfTurnMs: number | undefined;
  readonly memory: readonly EngineMemory[];
  /** Undefined if a required engine has no times. */
  readonly capacity: Capacity | undefined;
  readonly faults: readonly string[];
}

export function describeReport({
  machine,
  plan,
  loadSeconds,
  timings: t,
  emotionMs,
  endOfTurnMs,
  memory,
  capacity,
  faults,
}: Report): string {
  const { cpu, cores, memoryMb, gpu, node } = machine;
  const mb = (name: string): string => {
    const found = memory.find((entry) => entry.name.startsWith(name));
    return found === undefined ? "" : `${found.residentMb.toFixed(0)} MB`;
  };
  const row = (name: string, requestMs: number | undefined, audioMs?: number, request = ms(requestMs)): string[] => {
    const speed = requestMs === undefined || audioMs === undefined ? "" : (requestMs / audioMs).toFixed(3);
    const loaded = loadSeconds[name];
    return [name, loaded === undefined ? "not loaded" : `${loaded.toFixed(1)} s`, request, speed, mb(name)];
  };
  const rows = [
    ["engine", "loaded in", "one request", "real-time factor", "memory"],
    row("voice activity", t.vadMs, t.vadFrameMs),
    row("speech recognition", t.sttMs, t.sttClipMs),
    row("language model", t.llmFirstMs, undefined, t.llmTokenMs === undefined ? undefined : `${ms(t.llmFirstMs)}, then ${(1000 / t.llmTokenMs).toFixed(0)} tokens/s`),
    row("speech synthesis", t.ttsMs, t.ttsClipMs),
    row("emotion", emotionMs),
    row("end of turn", endOfTurnMs),
  ]; // prettier-ignore
  const carries =
    capacity &&
    `about ${String(capacity.callers)} ${capacity.callers === 1 ? "caller" : "callers"} at once (${capacity.coresPerCaller.toFixed(2)} cores each); ` +
      `the first sound ${capacity.answerMs.toFixed(0)} ms after the end of a turn when nothing was prepared`;
  return [
    `${cpu}, ${String(cores)} cores, ${(memoryMb / 1000).toFixed(0)} GB; GPU: ${gpu ?? "none found"}; Node ${node}`,
    ...plan,
    "",
    textTable(rows),
    "",
    carries ?? "no callers: an engine does not work",
    ...(faults.length === 0 ? ["nothing is wrong"] : faults.map((fault) => `! ${fault}`)),
  ].join("\n");
}

const ms = (value?: number): string => (value === undefined ? "" : `${value.toFixed(value < 10 ? 1 : 0)} ms`);

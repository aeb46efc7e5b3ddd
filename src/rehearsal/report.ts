import type { Summary } from "../../bench/conversation/statistics.ts";
import type { StageSummary } from "../../bench/conversation/summary.ts";
import type { Limits } from "../../bench/conversation/limits.ts";
import type { Profile } from "../config/model-catalog.ts";
import { textTable } from "../shared/text-table.ts";
import { CLIP_SECONDS, type AloneTimes } from "./alone.ts";

export interface RehearsalReport {
  readonly rehearsal: true;
  readonly profile: Profile;
  readonly machine: string;
  readonly started: string;
  readonly models: readonly RehearsedModel[];
  /** Roles of the profile that a starter model plays, because no file of the model's size can be made. */
  readonly notRehearsed: readonly { readonly role: string; readonly id: string; readonly instead: string }[];
  readonly alone: readonly AloneRow[];
  readonly stages: readonly StageSummary[];
  readonly limits: Limits;
  /** The largest number of callers that keeps the limits. 0: none does. */
  readonly carries: number;
  /** One line for each limit that was not kept. */
  readonly failed: readonly string[];
  /** Numbers of callers that were not tried, because fewer were too many. */
  readonly notTried: readonly number[];
}

export interface RehearsedModel {
  readonly id: string;
  readonly bytes: number;
}

export interface AloneRow extends AloneTimes {
  readonly id: string;
  readonly role: string;
  readonly bytes: number;
  /** Why it was not timed. */
  readonly skipped?: string;
}

export function describeRehearsal(report: RehearsalReport): string {
  const { profile, machine, models, notRehearsed, limits, carries, failed, notTried } = report;
  return [
    `rehearsal of profile ${profile}: models of real size that always say one sentence. This measures cost, not recognition.`,
    machine,
    `rehearsed: ${models.map(({ id, bytes }) => `${id} (${megabytes(bytes)})`).join(", ") || "nothing"}`,
    ...notRehearsed.map(({ role, id, instead }) => `not rehearsed: ${role} ${id}; ${instead} is used instead`),
    "",
    textTable(stageRows(report.stages)),
    "",
    `rehearsal: carries ${String(carries)} ${carries === 1 ? "caller" : "callers"} (limits: ${Object.entries(limits)
      .map(([name, most]) => `${name} ${String(most)}`)
      .join(", ")})`,
    ...failed.map((line) => `not kept: ${line}`),
    ...(notTried.length === 0 ? [] : [`not tried: ${notTried.join(", ")} callers`]),
    "",
    textTable(aloneRows(report.alone.filter(({ skipped }) => skipped === undefined))),
    ...report.alone.flatMap(({ id, skipped }) => (skipped === undefined ? [] : [`${id}: ${skipped}`])),
  ].join("\n");
}

function stageRows(stages: readonly StageSummary[]): readonly (readonly string[])[] {
  const row = (name: string, cell: (stage: StageSummary) => string) => [name, ...stages.map(cell)];
  const ms = (value: Summary | undefined) =>
    value === undefined ? "-" : `${value.p50.toFixed(0)} / ${value.p95.toFixed(0)}`;
  return [
    row("rehearsal: callers", ({ callers }) => String(callers)),
    row("voice to voice, ms (p50 / p95)", (stage) => ms(stage.voice_to_voice)),
    row("beyond silence_threshold, ms", (stage) => ms(stage.beyond_silence_threshold)),
    row("speech end to final transcript, ms", (stage) => ms(stage.speech_end_to_final_transcript)),
    row("speech end to first text, ms", (stage) => ms(stage.speech_end_to_first_text)),
    row("speech end to first speech, ms", (stage) => ms(stage.speech_end_to_first_speech)),
    row("barge-in to the last chunk, ms", (stage) => ms(stage.barge_in_last_speech_sent)),
    row("turns; missed", ({ turns, missed_turns: missed }) => `${String(turns)}; ${String(missed)}`),
    row("interruptions; missed", (stage) => `${String(stage.interruptions)}; ${String(stage.missed_interruptions)}`),
    row("playback underruns", ({ underruns }) => String(underruns)),
    row("errors; lost connections", (stage) => `${String(stage.errors)}; ${String(stage.lost_connections)}`),
    row("cores", ({ callers, cpu_per_caller: cores }) => (cores === undefined ? "-" : (cores * callers).toFixed(2))),
    row("resident memory", ({ resident_mb: mb }) => (mb === undefined ? "-" : megabytes(mb * 1e6))),
  ];
}

function aloneRows(rows: readonly AloneRow[]): readonly (readonly string[])[] {
  const cell = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? "-";
  const head = [
    "rehearsal: one model alone",
    "size",
    `decode of ${String(CLIP_SECONDS)} s, ms`,
    "threads",
    "prefill, tokens/s",
    "decode, tokens/s",
    "first clause, ms",
  ];
  return [
    head,
    ...rows.map(({ id, bytes, ...times }) => [
      id,
      megabytes(bytes),
      cell(times.decodeMs, 0),
      cell(times.threads, 0),
      cell(times.prefillTokensPerSecond, 0),
      cell(times.decodeTokensPerSecond, 1),
      cell(times.clauseMs, 0),
    ]),
  ];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

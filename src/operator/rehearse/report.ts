import type { Summary } from "../../simulated-callers/statistics.ts";
import type { StageSummary } from "../../simulated-callers/summary.ts";
import { valueOf, type Limits } from "../../simulated-callers/limits.ts";
import type { Profile } from "../../config/model-catalog.ts";
import { textTable } from "../../shared/text-table.ts";
import { CLIP_SECONDS, type AloneTimes } from "./time-model.ts";

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
  /** Limits of each stage. */
  readonly wanted: readonly Limits[];
  /** The largest number of callers up to which every stage keeps its limits. 0: none does. */
  readonly carries: number;
  /** One line for each limit that was not kept. */
  readonly failed: readonly string[];
  /** Numbers of callers that were not tried, because some of fewer got no answer. */
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
  const { profile, machine, models, notRehearsed, carries, notTried } = report;
  return [
    `rehearsal of profile ${profile}: models of real size that always say one sentence. This measures cost, not recognition.`,
    machine,
    `rehearsed: ${models.map(({ id, bytes }) => `${id} (${megabytes(bytes)})`).join(", ") || "nothing"}`,
    ...notRehearsed.map(({ role, id, instead }) => `not rehearsed: ${role} ${id}; ${instead} is used instead`),
    "",
    textTable(stageRows(report.stages)),
    "",
    textTable(wantedRows(report)),
    "",
    `rehearsal: carries ${callersText(carries)}`,
    ...(notTried.length === 0 ? [] : [`not tried: ${notTried.join(", ")} callers`]),
    "",
    textTable(aloneRows(report.alone.filter(({ skipped }) => skipped === undefined))),
    ...report.alone.flatMap(({ id, skipped }) => (skipped === undefined ? [] : [`${id}: ${skipped}`])),
  ].join("\n");
}

/** Wanted of one decode: at most this many times its floor. */
const FLOOR_TIMES = 2;

/** A count that should be 0 has a row only when it is not 0. */
function wantedRows({ stages, wanted, models, alone }: RehearsalReport): readonly (readonly string[])[] {
  const row = (name: string, most: number, value: number | undefined, digits: number) => [
    name,
    String(most),
    value?.toFixed(digits) ?? "-",
    value !== undefined && value <= most ? "yes" : "no",
  ];
  const kept = stages.flatMap((stage, index) =>
    Object.entries(wanted[index] ?? {})
      .map(([name, most]) => ({ name, most, value: valueOf(stage, name) }))
      .filter(({ most, value }) => most > 0 || value !== most)
      .map(({ name, most, value }) => row(`${callersText(stage.callers)}: ${name}`, most, value, 0)),
  );
  const floors = alone
    .filter(({ id }) => models.some((model) => model.id === id))
    .flatMap((each) => {
      const times = timesTheFloor(each);
      return times === undefined ? [] : [row(`${each.id}: decode, times the floor`, FLOOR_TIMES, times, 1)];
    });
  return [["rehearsal: wanted", "at most", "measured", "met"], ...kept, ...floors];
}

const callersText = (count: number): string => `${String(count)} ${count === 1 ? "caller" : "callers"}`;

function timesTheFloor({ decodeMs, floor }: AloneTimes): number | undefined {
  if (decodeMs === undefined || floor === undefined) return undefined;
  return ((decodeMs / 1000) * floor.operationsPerSecond) / floor.operations;
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
    row("barge-in to silence at the ear, ms", (stage) => ms(stage.barge_in_silence)),
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
    "GFLOP",
    "fp32 product, GFLOP/s",
    "times the floor",
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
      cell(times.floor && times.floor.operations / 1e9, 1),
      cell(times.floor && times.floor.operationsPerSecond / 1e9, 0),
      cell(timesTheFloor(times), 1),
      cell(times.prefillTokensPerSecond, 0),
      cell(times.decodeTokensPerSecond, 1),
      cell(times.clauseMs, 0),
    ]),
  ];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

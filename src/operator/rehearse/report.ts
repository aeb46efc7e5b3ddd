import type { Summary } from "../../simulated-callers/statistics.ts";
import type { StageSummary } from "../../simulated-callers/summary.ts";
import { valueOf, type Limits } from "../../simulated-callers/limits.ts";
import type { Profile } from "../../config/model-catalog.ts";
import { textTable } from "../../shared/text-table.ts";
import type { ModelTimes } from "./model-times.ts";
import { CLIP_SECONDS } from "./time-model.ts";

export interface RehearsalReport {
  readonly rehearsal: true;
  readonly profile: Profile;
  readonly machine: string;
  readonly started: string;
  readonly models: readonly RehearsedModel[];
  /** Models of the profile that are not installed. No calls are simulated without them. */
  readonly missing: readonly string[];
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

export interface AloneRow extends Partial<ModelTimes> {
  readonly id: string;
  readonly role: string;
  readonly bytes: number;
  /** Why it was not timed. */
  readonly skipped?: string;
}

export function describeRehearsal(report: RehearsalReport): string {
  const { profile, machine, models, missing } = report;
  return [
    `rehearsal of profile ${profile}: what its models cost on this machine.`,
    machine,
    `models: ${models.map(({ id, bytes }) => `${id} (${megabytes(bytes)})`).join(", ")}`,
    "",
    ...(missing.length > 0
      ? [`rehearsal: no calls, because these models are not installed: ${missing.join(", ")}`]
      : callLines(report)),
    "",
    textTable(aloneRows(report.alone.filter(({ skipped }) => skipped === undefined))),
    ...report.alone.flatMap(({ id, skipped }) => (skipped === undefined ? [] : [`${id}: not timed: ${skipped}`])),
  ].join("\n");
}

function callLines(report: RehearsalReport): readonly string[] {
  const { carries, notTried } = report;
  return [
    textTable(stageRows(report.stages)),
    "",
    textTable(wantedRows(report)),
    "",
    `rehearsal: carries ${callersText(carries)}`,
    ...(notTried.length === 0 ? [] : [`not tried: ${notTried.join(", ")} callers`]),
  ];
}

/** A count that should be 0 has a row only when it is not 0. */
function wantedRows({ stages, wanted }: RehearsalReport): readonly (readonly string[])[] {
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
  return [["rehearsal: wanted", "at most", "measured", "met"], ...kept];
}

const callersText = (count: number): string => `${String(count)} ${count === 1 ? "caller" : "callers"}`;

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

const HOW: Readonly<Record<ModelTimes["found"], string>> = {
  measured: "measured",
  header: "measured without weights",
  computed: "computed from the starter recogniser",
  "other voice": "the starter voice",
};

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
    "how",
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
      times.found === undefined ? "-" : HOW[times.found],
    ]),
  ];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

import { alignRows, type Row } from "../text-table.ts";
import type { Summary } from "../../src/simulated-callers/statistics.ts";
import type { StageSummary } from "../../src/simulated-callers/summary.ts";

/** The text table, with one line per measure and one column per number of callers. */
export function tableRows(stages: readonly StageSummary[]): readonly Row[] {
  const row = (name: string, cell: (stage: StageSummary) => string): Row => ({ name, cells: stages.map(cell) });
  const ms = (value: number | undefined) => (value === undefined ? "-" : value.toFixed(0));
  const times = (value: Summary | undefined) =>
    value === undefined ? "-" : `${ms(value.p50)} / ${ms(value.p95)} / ${ms(value.p99)}`;
  const share = (value: number | undefined) => (value === undefined ? "-" : `${(value * 100).toFixed(1)} %`);
  const of = (some: number, all: number) => `${String(some)} of ${String(all)}`;
  const engines = [...new Set(stages.flatMap(({ real_time_factors: factors = {} }) => Object.keys(factors)))];
  return [
    row("callers", ({ callers }) => String(callers)),
    row("turns", ({ turns }) => String(turns)),
    row("voice to voice, ms (p50 / p95 / p99)", (stage) => times(stage.voice_to_voice)),
    row("beyond silence_threshold, ms", (stage) => times(stage.beyond_silence_threshold)),
    row("speech end to turn_end", (stage) => times(stage.speech_end_to_turn_end)),
    row("speech end to final transcript", (stage) => times(stage.speech_end_to_final_transcript)),
    row("speech end to first llm_response_chunk", (stage) => times(stage.speech_end_to_first_text)),
    row("speech end to first tts_chunk", (stage) => times(stage.speech_end_to_first_speech)),
    row("share of the end-of-turn wait", (stage) => share(stage.end_of_turn_share)),
    row("medians of the callers apart, ms", (stage) => ms(stage.spread_between_callers)),
    row("barge-in: to tts_interruption, ms", (stage) => times(stage.barge_in_stop)),
    row("barge-in: to silence at the ear, ms", (stage) => times(stage.barge_in_silence)),
    row("interruptions missed", (stage) => of(stage.missed_interruptions, stage.interruptions)),
    row("back-channels that stopped the reply", (stage) =>
      of(stage.backchannels_that_stopped_the_reply, stage.backchannels),
    ),
    row("false cut-offs", (stage) => of(stage.false_cut_offs, stage.turns)),
    row("replies before the user had ended", (stage) => of(stage.early_replies, stage.turns)),
    row("turns missed", (stage) => of(stage.missed_turns, stage.turns)),
    row("playback underruns", ({ underruns }) => String(underruns)),
    row("word error rate", (stage) => share(stage.word_error_rate)),
    row("end of a word to its transcript, ms", (stage) => times(stage.word_to_transcript)),
    row(
      "partials; withdrawn words",
      (stage) => `${String(stage.partials)}; ${of(stage.partial_words_taken_back, stage.partial_words_shown)}`,
    ),
    row("errors / lost connections", (stage) => [stage.errors, stage.lost_connections].join(" / ")),
    row("leaks (secret words watched)", ({ leaks, leaked_words: words, secrets }) =>
      [String(leaks), ...words, `(${String(secrets)})`].join(" "),
    ),
    row("cores a caller: all; the server's own process", (stage) =>
      [stage.cpu_per_caller, stage.server_process_cpu_per_caller].map((cores) => cores?.toFixed(3) ?? "-").join("; "),
    ),
    row("resident MB (processes); by each caller", (stage) =>
      stage.resident_mb === undefined
        ? "-"
        : `${ms(stage.resident_mb)} (${String(stage.processes)}); ${ms(stage.resident_mb_per_caller)}`,
    ),
    row("resident memory after 5 min, drift", (stage) => share(stage.resident_drift)),
    ...engines.map((engine) =>
      row(`real-time factor of ${engine} (p50 / p95 / p99)`, ({ real_time_factors: factors }) => {
        const factor = factors?.[engine];
        return factor === undefined ? "-" : [factor.p50, factor.p95, factor.p99].map((q) => q.toFixed(3)).join(" / ");
      }),
    ),
  ];
}

export const textTable = (stages: readonly StageSummary[]): string => alignRows(tableRows(stages));

import { summarise, type Summary } from "../../src/simulated-callers/statistics.ts";
import type { StageSummary } from "../../src/simulated-callers/summary.ts";
import type { Floor } from "./floor.ts";
import type { NaiveTurn } from "./naive.ts";

export interface Row {
  readonly name: string;
  readonly pipeline: number | undefined;
  readonly other: number | undefined;
  /** Pipeline divided by other. */
  readonly ratio: number | undefined;
}

const row = (name: string, pipeline: number | undefined, other: number | undefined): Row => {
  const ratio = pipeline === undefined || other === undefined || other === 0 ? undefined : pipeline / other;
  return { name, pipeline, other, ratio };
};

/** A streaming stage of the pipeline counts until its first piece, a stage of the naive pipeline until its end. */
export function compareWithNaive(pipeline: StageSummary, turns: readonly NaiveTurn[]): Row[] {
  const times = (pick: (turn: NaiveTurn) => number | undefined): Summary | undefined =>
    summarise(turns.map(pick).filter((value) => value !== undefined));
  const voiceToVoice = times((turn) => turn.voiceToVoiceMs);
  const known = turns.filter((turn) => turn.wordErrors !== undefined);
  const words = known.reduce((sum, turn) => sum + turn.words, 0);
  const errors = known.reduce((sum, turn) => sum + (turn.wordErrors ?? 0), 0);
  const cutOffs = turns.filter(({ turnOverMs }) => turnOverMs < 0).length;
  const missed = turns.filter((turn) => turn.voiceToVoiceMs === undefined).length;
  return [
    row("voice to voice, ms, p50", pipeline.voice_to_voice?.p50, voiceToVoice?.p50),
    row("voice to voice, ms, p95", pipeline.voice_to_voice?.p95, voiceToVoice?.p95),
    row(
      "speech end to turn over",
      pipeline.speech_end_to_turn_end?.p50,
      times((turn) => (turn.turnOverMs < 0 ? undefined : turn.turnOverMs))?.p50,
    ),
    row(
      "speech end to final transcript",
      pipeline.speech_end_to_final_transcript?.p50,
      times((turn) => turn.transcriptMs)?.p50,
    ),
    row("speech end to text of the reply", pipeline.speech_end_to_first_text?.p50, times((turn) => turn.replyMs)?.p50),
    row(
      "speech end to speech of the reply",
      pipeline.speech_end_to_first_speech?.p50,
      times((turn) => turn.speechMs)?.p50,
    ),
    row("word error rate, %", percent(pipeline.word_error_rate), words === 0 ? undefined : (100 * errors) / words),
    row("turns", pipeline.turns, turns.length),
    row("false cut-offs", pipeline.false_cut_offs, cutOffs),
    row("turns missed", pipeline.missed_turns, missed - cutOffs),
  ];
}

/** Compares means, because the server's histograms have no exact quantiles. */
export function compareWithFloor(pipeline: StageSummary, floor: Floor): Row[] {
  const { stage_seconds: stages, real_time_factors: factors } = pipeline;
  const stageMs = (stage: string) => {
    const mean = stages?.[stage]?.mean;
    return mean === undefined ? undefined : 1000 * mean;
  };
  const { voice_to_voice: voice, beyond_silence_threshold: beyond } = pipeline;
  const silenceMs = voice && beyond && voice.p50 - beyond.p50;
  /** Stages that must run in sequence before the first sound. */
  const chainMs = [floor.sttFinal, floor.llmFirstClause, floor.ttsFirstClause].reduce(
    (sum, stage) => sum + (stage?.p50 ?? NaN),
    0,
  );
  return [
    row("voice activity, real-time factor", factors?.["vad"]?.mean, floor.vadFactor),
    row("end of turn, ms", stageMs("end_of_turn"), floor.endOfTurn?.mean),
    row("recognition, final, ms", stageMs("stt_final"), floor.sttFinal?.mean),
    row("recognition, real-time factor", factors?.["stt"]?.mean, floor.sttFactor),
    row("emotion, ms", stageMs("emotion"), floor.emotion?.mean),
    row("language model, first piece, ms", stageMs("llm_first_piece"), floor.llmFirstPiece?.mean),
    row("language model, whole reply, ms", stageMs("llm_reply"), floor.llmReply?.mean),
    row("language model, tokens/s after the first", undefined, floor.llmPiecesPerSecond),
    row("speech, one clause, ms", stageMs("tts_clause"), floor.ttsClause?.mean),
    row("speech, real-time factor", factors?.["tts"]?.mean, floor.ttsFactor),
    row("transcript + first clause + its speech, ms, p50", undefined, chainMs),
    row(
      "voice to voice, ms, p50: all of that within the silence",
      voice?.p50,
      silenceMs && Math.max(silenceMs, chainMs),
    ),
  ];
}

export function renderTable(rows: readonly Row[], other: string): string {
  const cells = rows.map(({ name, pipeline, other: alone, ratio }) => [
    name,
    number(pipeline),
    number(alone),
    ratio === undefined ? "-" : ratio.toFixed(2),
  ]);
  const all = [["", "pipeline", other === "limits" ? "alone" : other, "ratio"], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("   "),
    )
    .join("\n");
}

function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 1 ? 4 : value < 10 ? 2 : 0);
}

const percent = (share: number | undefined): number | undefined => (share === undefined ? undefined : 100 * share);

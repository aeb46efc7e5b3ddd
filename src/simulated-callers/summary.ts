import type { CallRecord } from "./call-figures.ts";
import { leakedWords } from "./leaks.ts";
import { measureCall, type TurnMeasures } from "./measures.ts";
import { residentDrift, type MemorySample } from "./memory.ts";
import type { ProcessUse } from "./processes.ts";
import { distributionsBetween, type Distribution, type ServerMetrics } from "./server-metrics.ts";
import { spread, summarise, type Summary } from "./statistics.ts";

/** All measurements with one number of callers. Times in ms, shares 0 to 1. */
export interface StageSummary {
  readonly callers: number;
  readonly seconds: number;
  readonly turns: number;
  readonly voice_to_voice: Summary | undefined;
  /** Voice to voice minus the session's `silence_threshold`. */
  readonly beyond_silence_threshold: Summary | undefined;
  readonly speech_end_to_final_transcript: Summary | undefined;
  readonly speech_end_to_turn_end: Summary | undefined;
  readonly speech_end_to_first_text: Summary | undefined;
  readonly speech_end_to_first_speech: Summary | undefined;
  readonly barge_in_stop: Summary | undefined;
  readonly barge_in_silence: Summary | undefined;
  /** Share of voice to voice before the end of the turn (medians). */
  readonly end_of_turn_share: number | undefined;
  /** Spread of the callers' median voice to voice. */
  readonly spread_between_callers: number | undefined;
  readonly false_cut_offs: number;
  readonly false_cut_off_share: number;
  readonly early_replies: number;
  readonly missed_turns: number;
  readonly interruptions: number;
  readonly missed_interruptions: number;
  readonly backchannels: number;
  readonly backchannels_that_stopped_the_reply: number;
  readonly underruns: number;
  readonly word_error_rate: number | undefined;
  readonly word_to_transcript: Summary | undefined;
  readonly partials: number;
  readonly partial_words_shown: number;
  readonly partial_words_taken_back: number;
  readonly errors: number;
  /** Messages with another session's id, and other callers' secrets in a call. */
  readonly leaks: number;
  readonly leaked_words: readonly string[];
  /** Number of words that were checked for leaks. */
  readonly secrets: number;
  readonly lost_connections: number;
  /** Processor time of the server and its children per caller, in cores. */
  readonly cpu_per_caller: number | undefined;
  /** Cores of the server's own process, which runs the small models. */
  readonly server_process_cpu_per_caller: number | undefined;
  readonly resident_mb: number | undefined;
  /** Memory that each caller added, from before the connections until all had spoken. */
  readonly resident_mb_per_caller: number | undefined;
  /** See `residentDrift`. */
  readonly resident_drift: number | undefined;
  readonly processes: number | undefined;
  /** Compute time per second of audio by engine, when the server serves metrics. */
  readonly real_time_factors: Readonly<Record<string, Distribution>> | undefined;
  /** Seconds of the server's stages, from its metrics. */
  readonly stage_seconds: Readonly<Record<string, Distribution>> | undefined;
}

export interface Stage {
  readonly summary: StageSummary;
  readonly turns: readonly TurnMeasures[];
  /** Values while the callers spoke. */
  readonly memory: readonly MemorySample[];
}

/** The server's resources, where they can be measured. */
export interface ServerFacts {
  readonly use?:
    | {
        /** Before the callers connected, when all were ready, and when they had ended. */
        readonly idle: ProcessUse;
        readonly before: ProcessUse;
        readonly after: ProcessUse;
        readonly memory: readonly MemorySample[];
      }
    | undefined;
  readonly metrics?: { readonly before: ServerMetrics; readonly after: ServerMetrics } | undefined;
}

export function summariseStage(calls: readonly CallRecord[], seconds: number, { use, metrics }: ServerFacts): Stage {
  const turns = calls.flatMap(measureCall);
  const values = (pick: (turn: TurnMeasures) => number | undefined) =>
    turns.map(pick).filter((value) => value !== undefined);
  const count = (matches: (turn: TurnMeasures) => boolean) => turns.filter(matches).length;
  const sum = (pick: (turn: TurnMeasures) => number) => turns.reduce((total, turn) => total + pick(turn), 0);
  const events = calls.flatMap((call) => call.events);
  const voiceToVoice = summarise(values((turn) => turn.voiceToVoiceMs));
  const turnEnd = summarise(values((turn) => turn.turnEndMs));
  const known = turns.filter((turn) => turn.wordErrors !== undefined);
  const words = known.reduce((total, turn) => total + turn.words, 0);
  const callers = calls.length;
  const leaked = calls.flatMap((call) => leakedWords(call, calls));
  const isInterruption = (turn: TurnMeasures) => turn.overReply && turn.meantAs === "interruption";
  const isBackchannel = (turn: TurnMeasures) => turn.overReply && turn.meantAs === "backchannel";
  const summary: StageSummary = {
    callers,
    seconds,
    turns: turns.length,
    voice_to_voice: voiceToVoice,
    beyond_silence_threshold: summarise(values((turn) => turn.beyondThresholdMs)),
    speech_end_to_final_transcript: summarise(values((turn) => turn.finalTranscriptMs)),
    speech_end_to_turn_end: turnEnd,
    speech_end_to_first_text: summarise(values((turn) => turn.firstTextMs)),
    speech_end_to_first_speech: summarise(values((turn) => turn.firstSpeechMs)),
    barge_in_stop: summarise(values((turn) => turn.bargeInMs)),
    barge_in_silence: summarise(values((turn) => turn.silentMs)),
    end_of_turn_share: voiceToVoice === undefined || turnEnd === undefined ? undefined : turnEnd.p50 / voiceToVoice.p50,
    spread_between_callers: spread(
      calls.map(({ caller }) =>
        turns
          .filter((turn) => turn.caller === caller)
          .map((turn) => turn.voiceToVoiceMs)
          .filter((value) => value !== undefined),
      ),
    ),
    false_cut_offs: count((turn) => turn.cutOff),
    false_cut_off_share: count((turn) => turn.cutOff) / Math.max(1, turns.length),
    early_replies: count((turn) => turn.early),
    missed_turns: count((turn) => turn.missed),
    interruptions: count(isInterruption),
    missed_interruptions: count((turn) => isInterruption(turn) && !turn.stoppedReply),
    backchannels: count(isBackchannel),
    backchannels_that_stopped_the_reply: count((turn) => isBackchannel(turn) && turn.stoppedReply),
    underruns: sum((turn) => turn.underruns),
    word_error_rate: words === 0 ? undefined : known.reduce((total, turn) => total + (turn.wordErrors ?? 0), 0) / words,
    word_to_transcript: summarise(turns.flatMap((turn) => turn.wordDelaysMs)),
    partials: sum((turn) => turn.partials),
    partial_words_shown: sum((turn) => turn.wordsShown),
    partial_words_taken_back: sum((turn) => turn.wordsTakenBack),
    errors: events.filter(({ type }) => type === "error").length,
    leaks: events.filter(({ type }) => type === "leak").length + leaked.length,
    leaked_words: leaked,
    secrets: new Set(calls.flatMap(({ secrets }) => secrets)).size,
    lost_connections: calls.filter(({ closed }) => closed !== undefined).length,
    cpu_per_caller: use && (use.after.cpuSeconds - use.before.cpuSeconds) / seconds / callers,
    server_process_cpu_per_caller: use && (use.after.rootCpuSeconds - use.before.rootCpuSeconds) / seconds / callers,
    resident_mb: use && use.after.residentBytes / 1e6,
    resident_mb_per_caller: use && (use.after.residentBytes - use.idle.residentBytes) / 1e6 / callers,
    resident_drift: use && residentDrift(use.memory),
    processes: use?.after.processes,
    real_time_factors: metrics && distributionsBetween(metrics.before.factors, metrics.after.factors),
    stage_seconds: metrics && distributionsBetween(metrics.before.stages, metrics.after.stages),
  };
  return { summary, turns, memory: use?.memory ?? [] };
}

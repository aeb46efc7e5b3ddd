import { wordDelaysMs, wordsTakenBackBy } from "./partials.ts";
import { plainWords, wordErrors } from "./words/word-errors.ts";
import { silenceAtEarMs } from "./silence-at-ear.ts";
import type { CallEvent, CallRecord, HeardChunk, SpokenUtterance } from "./call-figures.ts";

/** A longer gap in the middle of a reply is audible. */
const UNDERRUN_MS = 20;

/** Measures of one utterance. Times are ms from its last voiced sample, unless the comment names another start. */
export interface TurnMeasures {
  readonly caller: number;
  readonly meantAs: SpokenUtterance["meantAs"];
  readonly overReply: boolean;
  /** Time to the first audible sample of the reply at the client. */
  readonly voiceToVoiceMs: number | undefined;
  /** Voice to voice minus the session's `silence_threshold`. */
  readonly beyondThresholdMs: number | undefined;
  readonly finalTranscriptMs: number | undefined;
  readonly turnEndMs: number | undefined;
  readonly firstTextMs: number | undefined;
  readonly firstSpeechMs: number | undefined;
  /** Times from the interruption's first voiced sample to `tts_interruption`, and to the end of the reply at the caller's ear. */
  readonly bargeInMs: number | undefined;
  readonly silentMs: number | undefined;
  /** The turn ended before the user had finished. */
  readonly cutOff: boolean;
  /** The reply became audible before the user had finished. Such a reply gives no time. */
  readonly early: boolean;
  /** An answer was due but did not come. */
  readonly missed: boolean;
  readonly stoppedReply: boolean;
  readonly underruns: number;
  readonly words: number;
  readonly wordErrors: number | undefined;
  readonly wordsShown: number;
  readonly wordsTakenBack: number;
  readonly partials: number;
  /** See `wordDelaysMs`. */
  readonly wordDelaysMs: readonly number[];
}

/** The utterances of a call, each with the events up to the beginning of the next one. */
export function measureCall(call: CallRecord): TurnMeasures[] {
  return call.utterances.map((spoken, index) => {
    const untilMs = call.utterances[index + 1]?.startMs ?? Infinity;
    const events = call.events.filter(({ atMs }) => atMs >= spoken.startMs && atMs < untilMs);
    const audio = call.audio.filter(({ receivedMs }) => receivedMs >= spoken.startMs && receivedMs < untilMs);
    return measureTurn(call, spoken, untilMs, events, audio);
  });
}

function measureTurn(
  call: CallRecord,
  spoken: SpokenUtterance,
  untilMs: number,
  events: readonly CallEvent[],
  audio: readonly HeardChunk[],
): TurnMeasures {
  const { caller, silenceThresholdMs } = call;
  const { startMs, endMs, meantAs, overReply, isTyped = false } = spoken;
  const ends = events.filter((event) => event.type === "turn_end");
  const first = (type: CallEvent["type"], fromMs: number) =>
    events.find((event) => event.type === type && event.atMs >= fromMs)?.atMs;
  const stop = overReply ? first("interruption", startMs) : undefined;
  // The previous reply plays until the end of the turn.
  const ownFromMs = isTyped ? startMs : (ends[0]?.atMs ?? Infinity);
  const reply = audio.filter(({ receivedMs }) => receivedMs >= ownFromMs);
  const audibleMs = reply.find((chunk) => chunk.audibleMs !== undefined)?.audibleMs;
  const early = audibleMs !== undefined && audibleMs < endMs;
  const isBackchannel = meantAs === "backchannel" && overReply;
  /** Negative times do not count as quick. */
  const after = (atMs: number | undefined) =>
    atMs === undefined || atMs < endMs || early || isBackchannel ? undefined : atMs - endMs;
  const voiceToVoiceMs = after(audibleMs);
  const lastFinal = events.findLast((event) => event.type === "transcription" && event.isSpeechFinal);
  const heard = ends.map(({ transcript }) => transcript).join(" ");
  const reference = isTyped || spoken.text === undefined || isBackchannel ? undefined : plainWords(spoken.text);
  const partials = wordsTakenBackBy(events);
  const cutOff = !isBackchannel && ends.some(({ atMs }) => atMs < endMs);
  return {
    caller,
    meantAs,
    overReply,
    voiceToVoiceMs,
    beyondThresholdMs: voiceToVoiceMs === undefined ? undefined : voiceToVoiceMs - silenceThresholdMs,
    finalTranscriptMs: after(lastFinal?.atMs),
    turnEndMs: after(ends.at(-1)?.atMs),
    firstTextMs: after(first("llm_chunk", ownFromMs)),
    firstSpeechMs: after(reply[0]?.receivedMs),
    bargeInMs: meantAs === "interruption" && stop !== undefined ? stop - startMs : undefined,
    silentMs: meantAs === "interruption" && stop !== undefined ? silenceAtEarMs(call, spoken, untilMs) : undefined,
    cutOff,
    early,
    missed: !isBackchannel && audibleMs === undefined,
    stoppedReply: stop !== undefined,
    underruns: reply.filter((chunk, index) => index > 0 && chunk.playMs - endOf(reply[index - 1]) > UNDERRUN_MS).length,
    words: reference?.length ?? 0,
    wordErrors: reference === undefined ? undefined : wordErrors(reference, plainWords(heard)),
    ...partials,
    wordDelaysMs: wordDelaysMs(events),
  };
}

const endOf = (chunk: HeardChunk | undefined): number =>
  chunk === undefined ? Infinity : chunk.playMs + chunk.durationMs;

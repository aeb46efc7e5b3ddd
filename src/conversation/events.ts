import type { ErrorCode } from "../shared/error-codes.ts";
import type { EmotionName } from "../config/settings/emotion-names.ts";
import type { SoundKind } from "../engines/vad/voice-activity-detector.ts";
import type { ToolCall } from "../engines/llm/language-model.ts";
import type { SessionSettings } from "../config/settings/session-settings.ts";
import type { Hypothesis } from "./hypothesis.ts";

export type Stage = "vad" | "stt" | "llm" | "tts" | "emotion" | "end of turn" | "speaker";

/** The error code of each stage, as clients and metrics see it; docs/protocol.md lists them. */
export const STAGE_FAILURES = {
  vad: "AUDIO_PROCESSING_FAILED",
  stt: "STT_UNAVAILABLE",
  llm: "LLM_UNAVAILABLE",
  tts: "TTS_UNAVAILABLE",
  emotion: "EMOTION_UNAVAILABLE",
  "end of turn": "TURN_DETECTION_DEGRADED",
  speaker: "SPEAKER_UNAVAILABLE",
} as const satisfies Record<Stage, ErrorCode>;

export type FailureCode = (typeof STAGE_FAILURES)[Stage];

/** The speech of one part of a text. */
export interface SpokenSpan {
  readonly samples: number;
  readonly fromChar: number;
  readonly toChar: number;
}

/** Names one request of a session. It is never used again. */
export type RequestNumber = number;

/**
 * How a request ended. "heard": its reply is audible, or over. "superseded": words of the caller, or a newer request, took its place.
 * "joined": the reply under way is the answer.
 */
export type RequestEnd = "heard" | "failed" | "stopped" | "superseded" | "joined";

/** Turns are numbered from 1. The greeting answers turn 0. Replies are numbered too, in no particular order of turns. */
export type SessionEvent =
  /** Answers each `configure`. */
  | { readonly type: "ready"; readonly settings: SessionSettings }
  | { readonly type: "turn-started"; readonly turn: number; readonly startMs: number; readonly interrupts: boolean }
  /** Words of a turn that goes on. `settled`: later transcripts continue after these words. */
  | {
      readonly type: "transcript";
      readonly turn: number;
      readonly transcript: Hypothesis;
      readonly settled: boolean;
    }
  /** Words that a caller said over a reply without taking the turn. */
  | { readonly type: "overlap-transcript"; readonly transcript: Hypothesis }
  /** The turn's audio is complete. Its `turn-ended` follows when the words are decoded. */
  | {
      readonly type: "turn-committed";
      readonly turn: number;
      readonly startMs: number;
      readonly endMs: number;
      /** The end of the voice in the sound. `endMs` is the detector's, up to 160 ms later. */
      readonly voicedUntilMs: number;
      readonly cause: CommitCause;
      /** How much of the caller's audio was received by now. */
      readonly heardMs: number;
    }
  /** The turn ended although more was expected. Its `turn-ended` follows when the last words are decoded. */
  | { readonly type: "turn-timed-out"; readonly turn: number; readonly cause: "silence-timeout" | "max-duration" }
  | {
      readonly type: "turn-ended";
      readonly turn: number;
      readonly cause: CommitCause;
      readonly durationMs: number;
      /** How likely the caller had finished, 0 to 1. */
      readonly confidence: number;
      /** `accumulated` is empty when no words were recognised. No reply follows a doubtful transcript. */
      readonly transcript: Hypothesis;
      /** The language that the recogniser heard, a primary BCP-47 tag. Absent: the settings fix it, or none is known. */
      readonly language?: string | undefined;
    }
  /** The recogniser heard a language, or another one: recognition, language rules and replies follow. */
  | { readonly type: "language-heard"; readonly language: string }
  /** The caller was silent for `idleMs` after a reply. A reply follows. */
  | { readonly type: "caller-idle"; readonly startMs: number; readonly endMs: number }
  | {
      readonly type: "reply-started";
      readonly reply: number;
      readonly turn: number;
      /** The request that it carries out. */
      readonly request?: RequestNumber | undefined;
    }
  | { readonly type: "request-ended"; readonly request: RequestNumber; readonly how: RequestEnd }
  /** A piece of the reply's text; the one with `last` ends the text and is empty. */
  | { readonly type: "reply-text"; readonly reply: number; readonly text: string; readonly last: boolean }
  /** The language model calls a function of the client's own. The client gives its result to the history and asks for a reply. */
  | { readonly type: "tool-call"; readonly reply: number; readonly call: ToolCall }
  /** The client carries out this call of a configured tool and gives its result to the session. */
  | { readonly type: "client-tool-call"; readonly call: ToolCall }
  /** A configured tool runs. */
  | {
      readonly type: "tool-started";
      readonly callId: string;
      readonly name: string;
      /** JSON. Only a door whose credentials may inspect calls sends it. */
      readonly arguments: string;
      /** The client carries it out; `client-tool-call` follows. */
      readonly isClients: boolean;
    }
  | {
      readonly type: "tool-ended";
      readonly callId: string;
      readonly name: string;
      /** JSON. */
      readonly arguments: string;
      /** The result as the language model reads it. Sent as `arguments` of `tool-started`. */
      readonly result: string;
      readonly outcome: ToolOutcome;
      readonly durationMs: number;
    }
  /** State that a tool shows to clients. */
  | { readonly type: "tool-state"; readonly tool: string; readonly state: unknown }
  /** Whether a record of the call is kept. "asked": once the caller has said yes. */
  | { readonly type: "recording"; readonly state: "asked" | "on" | "off" }
  /** The assistant ends or transfers the call. Nothing follows. */
  | { readonly type: "call-ended"; readonly ending: CallEnding }
  /** Speech at `CALL_HZ`, which the client plays from `playsAtMs` of the session's clock on. */
  | {
      readonly type: "reply-audio";
      readonly reply: number;
      readonly pcm: Int16Array;
      readonly sampleRateHz: number;
      readonly playsAtMs: number;
    }
  /** No more of the reply is sent, because the caller may be interrupting. It is resumed or ended next. */
  | { readonly type: "reply-held"; readonly reply: number }
  | { readonly type: "reply-resumed"; readonly reply: number }
  /**
   * "interrupted": the caller heard a part of it. "dropped": nothing of it was audible. "stopped": the client stopped it.
   * `cutShort`: the text reached its longest length.
   */
  | {
      readonly type: "reply-ended";
      readonly reply: number;
      readonly turn: number;
      readonly how: "played" | "interrupted" | "dropped" | "stopped" | "failed";
      readonly heardMs: number;
      readonly cutShort: boolean;
      /** The speech of each part of the text. No door sends it. */
      readonly spans: readonly SpokenSpan[];
    }
  | {
      readonly type: "emotion";
      /** Scores of the tracked emotions, strongest first. */
      readonly scores: readonly EmotionScore[];
      /** The names that the settings list; empty: all. */
      readonly tracked: readonly EmotionName[];
      readonly analysisMs: number;
      readonly audioMs: number;
    }
  /** Every 200 ms of audio: level of speech and of background noise, 0 to 1. */
  | { readonly type: "level"; readonly activity: number; readonly noise: number; readonly kind?: SoundKind }
  /** A stage failed and the conversation continues. `cause`: a code for the operator. */
  | {
      readonly type: "failure";
      readonly stage: Stage;
      readonly code: FailureCode;
      readonly cause: ErrorCode;
      readonly turn: number | undefined;
    };

/** Takes what happens in a session. Never blocks, never throws; a closed connection ignores it. */
export type Emit = (event: SessionEvent) => void;

export interface EmotionScore {
  readonly names: readonly EmotionName[];
  /** 0 to 1. */
  readonly score: number;
}

export type ToolOutcome = "done" | "failed" | "cancelled" | "refused";

export interface CallEnding {
  /** Undefined: the call is over. */
  readonly transferTo: string | undefined;
  readonly reason: string;
  /** The caller's request, for the person who takes the call. */
  readonly summary: string;
}

/** "lost": the connection broke in mid-turn. */
export type CommitCause = "silence" | "silence-timeout" | "max-duration" | "client" | "lost";

/** Record of one call in wall time (ms). All measures are computed from it. */
export interface CallRecord {
  readonly caller: number;
  /** The session's `silence_threshold`, as the server applied it. */
  readonly silenceThresholdMs: number;
  readonly utterances: readonly SpokenUtterance[];
  /** Words that must not appear in another caller's call. */
  readonly secrets: readonly string[];
  readonly events: readonly CallEvent[];
  readonly audio: readonly HeardChunk[];
  /** Losses of the connection that the client repaired or tried to repair. */
  readonly breaks: readonly CallBreak[];
  /** The connection ended before the script did. */
  readonly closed: string | undefined;
}

export interface CallBreak {
  readonly lostMs: number;
  /** When a session was ready again. Undefined: never. */
  readonly backMs: number | undefined;
  /** The same conversation went on. Otherwise a new one began. */
  readonly isResumed: boolean;
}

export interface SpokenUtterance {
  readonly text: string | undefined;
  readonly meantAs: "interruption" | "backchannel" | undefined;
  /** Whether a reply was playing when the utterance began. */
  readonly overReply: boolean;
  /** The caller typed. Both times are that moment. */
  readonly isTyped?: boolean;
  /** Times of the first voiced sample and of the end of the last one, at the microphone. */
  readonly startMs: number;
  readonly endMs: number;
}

export type CallEvent = { readonly atMs: number } & (
  | { readonly type: "turn_start" }
  | { readonly type: "turn_end"; readonly transcript: string }
  | {
      readonly type: "transcription";
      readonly isFinal: boolean;
      readonly isSpeechFinal: boolean;
      readonly accumulated: string;
      /** When the caller had said each word of the segment, as the recogniser times them. Empty: it gave no times. */
      readonly wordsSaidMs: readonly number[];
    }
  /** A piece of the reply with that name. */
  | { readonly type: "llm_chunk"; readonly reply: string; readonly text: string }
  | { readonly type: "interruption" }
  /** A tool runs. `arguments`: undefined when the server does not show them. */
  | {
      readonly type: "tool_call";
      readonly callId: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly type: "tool_end";
      readonly callId: string;
      readonly outcome: string;
      readonly output: string | undefined;
    }
  /** The recogniser heard this language. */
  | { readonly type: "language"; readonly language: string }
  /** The assistant ended the call, or transferred it. */
  | { readonly type: "call_end"; readonly transferTo: string | undefined }
  | { readonly type: "error"; readonly code: string }
  /** A message of another session. */
  | { readonly type: "leak" }
);

/** Speech of a reply, as a client without gaps plays it. */
export interface HeardChunk {
  readonly receivedMs: number;
  readonly playMs: number;
  readonly durationMs: number;
  /** Playback time of its first audible sample. Undefined when no sample is audible. */
  readonly audibleMs: number | undefined;
  /** Playback time of the end of its last audible sample, unless an interruption cuts the chunk before that. */
  readonly audibleToMs: number | undefined;
}

/** What one call was, in wall time (ms): everything the measures are computed from. */
export interface CallRecord {
  readonly caller: number;
  /** The session's `silence_threshold`, as the server applied it. */
  readonly silenceThresholdMs: number;
  readonly utterances: readonly SpokenUtterance[];
  /** Words that nobody else may be told. */
  readonly secrets: readonly string[];
  readonly events: readonly CallEvent[];
  readonly audio: readonly HeardChunk[];
  /** The connection's end before the script's. */
  readonly closed: string | undefined;
}

export interface SpokenUtterance {
  readonly text: string | undefined;
  readonly meantAs: "interruption" | "backchannel" | undefined;
  /** Whether a reply was playing when it began. */
  readonly overReply: boolean;
  /** When its first and one past its last voiced sample were spoken into the microphone. */
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
    }
  /** A piece of the reply of that name. */
  | { readonly type: "llm_chunk"; readonly reply: string; readonly text: string }
  | { readonly type: "interruption" }
  | { readonly type: "error"; readonly code: string }
  /** A message of another session. */
  | { readonly type: "leak" }
);

/** Speech of a reply as a client that plays gapless would play it. */
export interface HeardChunk {
  readonly receivedMs: number;
  readonly playMs: number;
  readonly durationMs: number;
  /** When its first audible sample plays; undefined when it has none. */
  readonly audibleMs: number | undefined;
}

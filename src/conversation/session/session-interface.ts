import type { PlaybackReport } from "../reply/speech/playback-report.ts";
import type { ReplyRequest, SayWhen } from "../reply/reply-requests.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { Emit, RequestNumber } from "../events.ts";
import type { CutReply } from "../reply/cut-back.ts";
import type { History } from "../reply/text/history.ts";
import type { SessionSnapshot } from "./session-snapshot.ts";
import type { SessionSettingsPatch } from "../../config/settings/session-settings.ts";
import type { KeptTimer } from "../tool-calls/tool.ts";

export interface SessionRequest {
  /** That of the present or last connection. */
  readonly connectionId: string;
  /** Who holds the credentials. Names of callers are unique for each of them. */
  readonly owner: string;
  readonly voice: VoiceConfiguration;
  /** The position in a trace (W3C Trace Context) that systems behind tools get. */
  readonly traceparent?: (() => string | undefined) | undefined;
  readonly emit: Emit;
  /** Called once, with a fault of the program inside this session, which does nothing from then on. Tell the client and close it. */
  readonly onFault: (error: unknown) => void;
}

/** The state with which a session goes on over another connection. */
export interface Restored {
  /** Messages of the conversation so far. */
  readonly messages: number;
  /** The caller's words that are not answered yet, also those of a turn that the loss cut. */
  readonly unansweredWords: string;
  /** The reply that the loss cut. It goes on now. */
  readonly reply: CutReply | undefined;
  /** Calls of tools that run. `isClients`: the client is asked again. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly isClients: boolean }[];
  readonly timers: readonly KeptTimer[];
}

/** How the caller gave words without speaking. */
export type TypedBy = "text" | "keys";

/** The record of a call, as its session and its door use it. */
export interface Recording {
  /** The caller's audio at `CALL_HZ`, which begins at `sessionMs`. The array is not kept. Never throws. */
  heard(pcm: Int16Array, sessionMs: number): void;
  /** Words that the caller gave without speaking. */
  typed(text: string, by: TypedBy): void;
  /** The client's answer for the caller: a yes, a no, or a withdrawal. */
  consent(isGiven: boolean): void;
  /** The language model understood that the caller wants no recording. False: there is none, or the caller said nothing about it. */
  withdraw(): boolean;
  /** The connection is lost, or another one has the call. */
  lost(isLost: boolean): void;
  endsBy(reason: "moved"): void;
  /** The call is over. */
  ended(): void;
}

/** One caller's conversation, from connect to close. These methods are its commands; its events go to `emit`. */
export interface VoiceSession {
  /** Merges a validated patch into the settings and emits `ready` before it returns. The first call makes the session ready. */
  configure(patch: SessionSettingsPatch): void;
  readonly ready: boolean;
  /** Absent: no record of this call is kept. */
  readonly recording?: Recording | undefined;
  /** Languages that `configure` may choose. Undefined: any. */
  readonly languages?: readonly string[] | undefined;
  /** `configure` may leave the language to the recogniser. */
  readonly identifiesLanguage?: boolean;
  /** The caller's audio at `CALL_HZ`. The array is not kept. */
  pushAudio(pcm: Int16Array): void;
  /** Words that the caller gave without speaking, such as pressed keys. They interrupt the reply and are answered. */
  addText(text: string, by?: TypedBy): void;
  /** Makes the heard position exact, and stops sending while the client's buffer is full. */
  reportPlayback(report: PlaybackReport): void;
  /** Ends the turn under way. Without one, the audio since the last turn becomes a turn. It is not answered by itself. */
  endTurn(): void;
  /** Drops the turn under way and the audio since the last one. */
  dropTurn(): void;
  /**
   * Asks for a reply to the conversation, after the turn under way if there is one. A reply under way is the answer.
   * @returns The number of the request while it is open. Its end is an event.
   */
  respond(request?: ReplyRequest): RequestNumber | undefined;
  stopReply(): void;
  /** Speaks a text when the caller is silent. False when too many texts wait. */
  say(text: string, when: SayWhen): boolean;
  /** The client's result of a call that it carries out. False when no call with this id waits. */
  giveToolResult(callId: string, output: string, isError: boolean): boolean;
  /** The conversation as the language model gets it. Turns and replies stand in it under their keys. */
  readonly history: Pick<History, "insert" | "insertCall" | "setResult" | "remove" | "truncate">;
  /**
   * The connection is lost. The turn under way ends with its words so far, and the reply stops. Calls of tools go on.
   * @param aliveMs Clock time at which the client was heard from for the last time.
   */
  detach(aliveMs: number): void;
  /**
   * The caller is back on another connection: corrects the conversation to what they heard. `attach` follows.
   * @param pieces The number of `reply-audio` events that reached the client over the lost connection, if it counts them.
   */
  recover(pieces: number | undefined): Restored;
  /** Emits `ready`, then goes on: the rest of the reply that was cut, or the answer that is owed. */
  attach(): void;
  /** The state of a session that is ready, for another box. */
  snapshot(): SessionSnapshot;
  /**
   * Makes a new session ready with the state of one on another box. `recover` and `attach` follow.
   * @param ageMs The age of the snapshot.
   */
  restore(snapshot: SessionSnapshot, ageMs: number): void;
  /** Another box has the call: its timers must not ring here. */
  forgetTimers(): void;
  /** Resolves when no turn is under way and no reply is owed or heard, at once or later. */
  quiet(): Promise<void>;
  /** Stops all work of the session. Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

export type OpenSession = (request: SessionRequest) => VoiceSession;

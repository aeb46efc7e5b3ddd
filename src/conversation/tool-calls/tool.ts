import type { CallEnding } from "../events.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { Language } from "../../language/language.ts";
import type { ToolDefinition } from "../../engines/llm/language-model.ts";

/** Something that the assistant can do. The server carries it out when the language model calls it. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** A barge-in cancels a running call. False: the call goes on, because it may change something. */
  readonly cancelOnInterrupt: boolean;
  /** A second call with the same arguments has no second effect, as with a lookup. */
  readonly mayRepeat?: boolean;
  /**
   * True or a text: the caller hears what will be done, and only their yes runs a call. A text names the act. Absent: only a call that
   * may be ordered by a result needs a yes. False: none does.
   */
  readonly confirm?: boolean | string | undefined;
  /** Spoken while a call takes long, in the place of a filler of the language pack. */
  readonly filler?: string | undefined;
  /**
   * Carries out one call. Resolves to the result, text for the language model. Rejects when the call did not complete; the model
   * reads an OakError's message, so the message holds nothing that callers must not hear.
   */
  run(args: Readonly<Record<string, unknown>>, run: ToolRun): Promise<string>;
}

export interface ToolRun {
  /** Unique. A tool that gets the same id again must not act twice. */
  readonly callId: string;
  readonly connectionId: string;
  /** The position in a trace, for the system behind the tool. */
  readonly traceparent?: string | undefined;
  /** The caller has left, the time is over, or a barge-in cancels the call. */
  readonly signal: AbortSignal;
}

/** A tool's means to act on its call. */
export interface CallControl {
  readonly voice: VoiceConfiguration;
  readonly language: () => Language;
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal;
  /** Calls back when the call begins. The id is the same for a caller who connects again, and for no other caller. */
  readonly onReady: (callback: (callerId: string) => void) => void;
  /** Shows the state of a tool to a client that asked for it. */
  readonly show: (shown: { readonly tool: string; readonly state: unknown }) => void;
  /** The tool's state, for a caller who connects again. At most one tool of a call has one. */
  readonly keepState: (state: KeptState) => void;
  /** The tool's timers, for a caller who connects again. */
  readonly keepTimers: (timers: KeptTimers) => void;
  /**
   * Speaks a text when neither the caller nor the service speaks. `said` is called when the caller hears it, or when it is not said
   * after all; not when the call ends first. False when too many texts wait, or the caller's connection is lost.
   */
  readonly say: (text: string, said?: () => void) => boolean;
  /** Stops and erases the recording of the call. False when the caller did not ask for that, or there is none. */
  readonly stopRecording: () => boolean;
  /** Ends the call after the next reply. A caller who speaks again keeps it open. */
  readonly end: (ending: CallEnding) => void;
}

export interface KeptState {
  /** Plain data. */
  get(): unknown;
  /** Takes the state of a call on another box. */
  restore(state: unknown): void;
}

/** A timer that is set. */
export interface KeptTimer {
  readonly id: string;
  readonly kind: "timer" | "reminder";
  readonly label: string;
  /** See `Timer`. */
  readonly at: string;
  readonly leftMs: number;
}

export interface KeptTimers {
  list(): readonly KeptTimer[];
  /** Sets timers of a call on another box, the next one first, as many as the caller may have. One that this box still has stays as it is. */
  restore(timers: readonly KeptTimer[]): void;
  /** Another box has the call. */
  clear(): void;
}

/** Makes the tools of one call. */
export type OpenTools = (call: CallControl) => readonly Tool[];

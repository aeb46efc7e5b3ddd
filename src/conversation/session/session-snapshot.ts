import type { ToolCall } from "../../engines/llm/language-model.ts";
import type { LostPart } from "../reply/cut-back.ts";
import type { Entry } from "../reply/text/history.ts";
import type { SentSnapshot } from "../reply/speech/sent-speech.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";
import type { LanguageChoice } from "../transcripts/language-choice.ts";
import type { CallEnding, KeptTimer } from "../tool-calls/tool.ts";

/** The service's side of a conversation. */
export interface ResponderSnapshot {
  /** The reply under way stands in it with the text and speech so far. */
  readonly history: readonly Entry[];
  readonly sent: SentSnapshot;
  /** The number of the last reply. */
  readonly replies: number;
  /** The reply under way, if the caller has heard some of it. */
  readonly lost: LostPart | undefined;
  /** The text of a reply that is not audible yet. */
  readonly unheardText: string | undefined;
  /** A call that waits for the caller's yes. Absent in snapshots of older versions. */
  readonly asked?: ToolCall | undefined;
}

/** All that a session on another box needs to go on with a conversation. Plain data. */
export interface SessionSnapshot extends ResponderSnapshot {
  readonly settings: SessionSettings;
  /** Absent in snapshots of older versions. */
  readonly language?: LanguageChoice;
  /** Texts that wait to be spoken. */
  readonly texts: readonly string[];
  /** The caller said something, or a tool had a result, and no audible reply has answered it. */
  readonly owesAnswer: boolean;
  readonly ending: CallEnding | undefined;
  /** Calls that run. */
  readonly calls: readonly ToolCall[];
  /** See `KeptState`. */
  readonly toolState: unknown;
  readonly timers: readonly KeptTimer[];
}

import type { ResponderSnapshot } from "../reply/responder-snapshot.ts";
import type { ToolCall } from "../../engines/llm/language-model.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";
import type { LanguageChoice } from "../transcripts/language-choice.ts";
import type { KeptTimer } from "../tool-calls/tool.ts";
import type { CallEnding } from "../events.ts";

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

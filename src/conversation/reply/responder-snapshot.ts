import type { Entry } from "./text/history.ts";
import type { LostPart } from "./cut-back.ts";
import type { SentSnapshot } from "./speech/sent-speech.ts";
import type { ToolCall } from "../../engines/llm/language-model.ts";

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

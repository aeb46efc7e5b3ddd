import type { ChatMessage } from "../../engines/llm/language-model.ts";
import type { ReplySettings } from "../../config/settings/session-settings.ts";

/** A reply that the client asks for. */
export interface ReplyRequest {
  /** Spoken as it is. The language model is not asked. */
  readonly text?: string | undefined;
  /** Stands beside the newest words, in this prompt only. */
  readonly instructions?: string | undefined;
  /** Takes the place of the conversation in this prompt. */
  readonly messages?: readonly ChatMessage[] | undefined;
  /** A reply without words is not a failure: the goodbye may have come before the call that ends the conversation. */
  readonly mayBeEmpty?: boolean;
  /** False: the reply does not become part of the conversation. */
  readonly isKept?: boolean;
  /** Replaces settings for this reply. */
  readonly settings?: Partial<ReplySettings>;
  /** The caller hears its beginning. */
  readonly heard?: () => void;
}

/** "next": when neither side speaks. "now": the reply under way stops first. */
export type SayWhen = "next" | "now";

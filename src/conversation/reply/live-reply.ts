import type { ToolCall } from "../../engines/llm/language-model.ts";
import type { AbortScope } from "../../shared/abort-scope.ts";
import type { Reply } from "./reply.ts";
import type { OpenRequest } from "./reply-requests.ts";

/** A reply that is being made or spoken. */
export interface LiveReply {
  readonly number: number;
  readonly reply: Reply;
  readonly scope: AbortScope;
  /** The turn that it answers, set when it starts. */
  readonly answers: { turn: number };
  /** False: not part of the conversation. */
  readonly isKept: boolean;
  readonly request: OpenRequest | undefined;
  /** Calls that the client carries out. */
  readonly clientCalls: readonly ToolCall[];
  readonly work: Promise<void>;
}

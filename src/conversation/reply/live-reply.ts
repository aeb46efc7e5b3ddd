import type { AbortScope } from "../../shared/abort-scope.ts";
import type { CallsOfReply } from "./reply-calls.ts";
import type { Reply } from "./reply.ts";
import type { OpenRequest } from "./reply-requests.ts";

/** A reply that is being made or spoken. */
export interface LiveReply {
  readonly number: number;
  readonly reply: Reply;
  readonly scope: AbortScope;
  /** The turn that it answers, set when it starts. */
  readonly answers: { turn: number };
  /** It is beside the conversation. */
  readonly isSide: boolean;
  readonly request: OpenRequest | undefined;
  readonly calls: CallsOfReply;
  readonly work: Promise<void>;
}

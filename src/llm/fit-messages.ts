import { OakError } from "../shared/errors.ts";
import type { ChatMessage } from "./contract.ts";

/** Where the kept turns begin; remembered between requests so that the beginning of the prompt stays the same. */
export interface Cut {
  /** The first kept message after the system message. Undefined: nothing is left out. */
  readonly first: ChatMessage | undefined;
}

export const noCut: Cut = { first: undefined };

export interface FittedMessages {
  readonly messages: readonly ChatMessage[];
  readonly cut: Cut;
}

/**
 * Leaves out the oldest turns until the prompt fits `budgetTokens`; the system message and the last message stay.
 * Once it must cut, it cuts down to half the budget: each cut changes the beginning of the prompt and costs its cached
 * evaluation, so cuts must be rare. `count` gives the tokens of a whole prompt.
 */
export function fitMessages(
  messages: readonly ChatMessage[],
  cut: Cut,
  budgetTokens: number,
  count: (messages: readonly ChatMessage[]) => number,
): FittedMessages {
  const system = messages[0]?.role === "system" ? messages.slice(0, 1) : [];
  const turns = messages.slice(system.length);
  let start = Math.max(
    0,
    turns.findIndex((message) => isSame(message, cut.first)),
  );
  const keep = (): readonly ChatMessage[] => [...system, ...turns.slice(start)];
  let needed = count(keep());
  if (needed > budgetTokens) {
    while (start < turns.length - 1 && needed > budgetTokens / 2) {
      start = nextUserTurn(turns, start + 1);
      needed = count(keep());
    }
  }
  if (needed > budgetTokens) {
    const message =
      `The system message and the last user message take ${String(needed)} tokens, but only ${String(budgetTokens)} fit ` +
      "beside the reply; shorten the system message or give the model a larger context.";
    throw new OakError(message, { code: "LLM_PROMPT_TOO_LONG" });
  }
  return { messages: keep(), cut: { first: start === 0 ? undefined : turns[start] } };
}

/** The next user message at or after `from`, or the last message. */
function nextUserTurn(turns: readonly ChatMessage[], from: number): number {
  const found = turns.findIndex((message, index) => index >= from && message.role === "user");
  return found === -1 ? turns.length - 1 : found;
}

function isSame(message: ChatMessage, other: ChatMessage | undefined): boolean {
  return other !== undefined && message.role === other.role && message.content === other.content;
}

import { OakError } from "../../../shared/errors.ts";
import type { ChatMessage } from "../language-model.ts";

/** The kept messages, remembered between requests so that the beginning of the prompt stays the same. */
export interface Cut {
  /** The kept messages after the system message. Empty: all are kept. */
  readonly kept: readonly ChatMessage[];
}

export const noCut: Cut = { kept: [] };

export interface FittedMessages {
  readonly messages: readonly ChatMessage[];
  readonly cut: Cut;
}

/** Room for turns beside a system message that alone is as long as the model's training. */
const LEAST_TURNS_TOKENS = 256;

/**
 * Leaves out the oldest turns until the prompt fits `budgetTokens`; the system message, pinned messages and the last turn stay.
 * It cuts down to half the budget, or by half of the turns' room if the rest is longer. Each cut changes the beginning of the prompt
 * and costs its cached evaluation, so cuts must be rare. `count` gives the tokens of a whole prompt. `trainedTokens`: turns are left
 * out from this length on, if the rest is not longer.
 */
export function fitMessages(
  messages: readonly ChatMessage[],
  cut: Cut,
  budgetTokens: number,
  count: (messages: readonly ChatMessage[]) => number,
  trainedTokens = budgetTokens,
): FittedMessages {
  const system = messages[0]?.role === "system" ? messages.slice(0, 1) : [];
  const turns = messages.slice(system.length);
  let start = startOf(cut.kept, turns);
  const keep = (): readonly ChatMessage[] => [
    ...system,
    ...turns.filter((message, at) => at >= start || isPinned(message)),
  ];
  let needed = count(keep());
  if (needed > Math.min(budgetTokens, trainedTokens)) {
    const earlier = start;
    const starts = [start, ...laterStarts(turns, start)];
    start = starts.at(-1) ?? start;
    const fixed = count(keep());
    const most = Math.min(budgetTokens, Math.max(trainedTokens, fixed + LEAST_TURNS_TOKENS));
    const wanted = fixed > most / 2 ? (fixed + most) / 2 : most / 2;
    if (needed <= most) start = earlier;
    else {
      // Search by halving: each count tokenises the whole prompt, and the caller is waiting.
      let first = 0;
      for (let last = starts.length - 1; first < last;) {
        const middle = (first + last) >> 1;
        start = starts[middle] ?? start;
        if (count(keep()) > wanted) first = middle + 1;
        else last = middle;
      }
      start = starts[first] ?? start;
    }
    needed = count(keep());
  }
  if (needed > budgetTokens) {
    const message =
      `The system message, the tools and the last user message take ${String(needed)} tokens, but only ${String(budgetTokens)} fit ` +
      "beside the reply; shorten the system message, list fewer tools, or give the model a larger context.";
    throw new OakError(message, { code: "LLM_PROMPT_TOO_LONG" });
  }
  return { messages: keep(), cut: start === 0 ? noCut : { kept: turns.slice(start) } };
}

/**
 * Finds where the previously kept turns begin in the new history: the offset with the longest common run. Requires more than
 * half of them to match, because single messages ("yes") repeat. Otherwise the history is used from its beginning.
 */
function startOf(kept: readonly ChatMessage[], turns: readonly ChatMessage[]): number {
  let start = 0;
  let most = kept.length >> 1;
  for (const at of turns.keys()) {
    const different = kept.findIndex((message, index) => !isSame(message, turns[at + index]));
    const same = different < 0 ? kept.length : different;
    if (same > most) [start, most] = [at, same];
  }
  return start;
}

/** Candidate offsets after `start`. A cut begins with a user message or is the last reply. A call needs its question before it. */
function laterStarts(turns: readonly ChatMessage[], start: number): number[] {
  const isStart = (at: number) =>
    turns[at]?.role === "user" || (at === turns.length - 1 && turns[at]?.role === "assistant");
  return [...turns.keys()].filter((at) => at > start && isStart(at));
}

function isSame(message: ChatMessage, other: ChatMessage | undefined): boolean {
  if (other === undefined || message.content !== other.content) return false;
  if (message.role !== "call" || other.role !== "call") return message.role === other.role;
  return message.name === other.name && message.arguments === other.arguments;
}

const isPinned = (message: ChatMessage): boolean => message.role !== "call" && message.isPinned === true;

import type { ChatMessage, GenerateRequest, LanguageSession, ToolCall } from "../../engines/llm/language-model.ts";
import { errorCode, OakError, rethrowFault } from "../../shared/errors.ts";
import { streamFromEngine } from "./ask-engine.ts";

/** Added to the prompt of the second attempt. */
const ANSWER = "(Answer in one short spoken sentence.)";
const IMPOSSIBLE = "(There is no such function. Say in one short sentence that you cannot do this.)";

/** Another attempt would fail too, or the caller has waited long enough. */
const FINAL_CODES: ReadonlySet<string | undefined> = new Set([
  "LLM_PROMPT_TOO_LONG",
  "LLM_SESSION_CLOSED",
  "LLM_BUSY",
  "TOOL_UNUSABLE",
  "ENGINE_CRASHED",
  "ENGINE_TIMEOUT",
  "ENGINE_UNAVAILABLE",
  "ENGINE_BUSY",
]);
const BAD_CALLS: ReadonlySet<string | undefined> = new Set(["LLM_CALL_UNKNOWN", "LLM_CALL_UNREADABLE"]);

export interface WriteOptions {
  /** False for a text that the caller would not hear, such as an emoji. */
  readonly isHeard: (text: string) => boolean;
  /** No words are not a failure. */
  readonly mayBeEmpty: boolean;
}

/**
 * The pieces of a reply. A reply that fails before its first words, that has none, or that ends with a call that cannot be made is
 * tried once more, without calls. Throws the failure of the second attempt, or `LLM_SAID_NOTHING`.
 */
export async function* writeReply(
  chat: LanguageSession,
  request: GenerateRequest,
  signal: AbortSignal,
  { isHeard, mayBeEmpty }: WriteOptions,
): AsyncGenerator<string | ToolCall> {
  let said = "";
  let hasCalled = false;
  let code: string | undefined;
  for (const isLast of [false, true]) {
    const asked = isLast ? askedAgain(request, isHeard(said) ? said.trim() : "", code) : request;
    try {
      for await (const piece of streamFromEngine(() => chat.generate(asked, signal))) {
        if (typeof piece === "string") said += piece;
        else hasCalled = true;
        yield piece;
      }
      if (hasCalled || mayBeEmpty || isHeard(said)) return;
      if (isLast) throw new OakError("The reply holds nothing to say.", { code: "LLM_SAID_NOTHING" });
    } catch (error) {
      rethrowFault(error);
      code = errorCode(error);
      if (signal.aborted || hasCalled || isLast || FINAL_CODES.has(code)) throw error;
      if (isHeard(said) && !BAD_CALLS.has(code)) throw error;
    }
  }
}

/** The prompt of the second attempt: the words so far are part of it. */
function askedAgain(request: GenerateRequest, said: string, code: string | undefined): GenerateRequest {
  const note = code === "LLM_CALL_UNKNOWN" ? IMPOSSIBLE : ANSWER;
  const spoken: readonly ChatMessage[] = said === "" ? [] : [{ role: "assistant", content: said }];
  const messages = [...request.messages, ...spoken];
  const last = messages.at(-1);
  const noted: ChatMessage =
    last?.role === "user" ? { ...last, content: `${last.content}\n${note}` } : { role: "user", content: note };
  return {
    ...request,
    messages: [...(last?.role === "user" ? messages.slice(0, -1) : messages), noted],
    toolChoice: "none",
  };
}

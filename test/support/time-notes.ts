import type { ChatMessage } from "../../src/engines/llm/language-model.ts";

/** The messages with the words alone: without the time that stands before them. */
export const withoutTime = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map(({ role, content }) => ({ role, content: content.replaceAll(/\(It is [^)]*\)\n/g, "") }));

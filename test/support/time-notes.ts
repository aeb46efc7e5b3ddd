import type { ChatMessage } from "../../src/engines/llm/language-model.ts";

/** The messages without the note about the time. */
export const withoutTime = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message) => ({ ...message, content: message.content.replaceAll(/\(It is [^)]*\)\n/g, "") }));

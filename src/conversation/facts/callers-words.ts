import type { ChatMessage } from "../../engines/llm/language-model.ts";

/** A line of the prompt that the program wrote, such as the time. */
const NOTE = /^\([^\n]*\)$/gmu;

/** The words of the caller, message by message, without the notes of the prompt. */
export const callersWords = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap(({ role, content }) => (role === "user" ? [content.replaceAll(NOTE, "").trim()] : []));

/** Empty before the caller has said anything. */
export const lastWords = (messages: readonly ChatMessage[]): string => callersWords(messages).at(-1) ?? "";

import type { Prompt } from "../language-model.ts";
import { fitMessages, type Cut, type FittedMessages } from "../fit-messages.ts";
import { wirePrompt } from "./chat-messages.ts";

/** Before the server has counted a prompt: short English words, or two thirds of a character in other scripts. */
const FIRST_TOKENS_PER_BYTE = 0.35;
const MIN_CONTEXT_TOKENS = 512;
/** An estimate that is too low costs a request. */
const MARGIN = 1.1;

/** Estimates tokens by the length of the text. The server's counts correct the estimate. */
export class PromptBudget {
  #contextTokens: number;
  #tokensPerByte = FIRST_TOKENS_PER_BYTE;

  constructor(contextTokens: number) {
    this.#contextTokens = contextTokens;
  }

  get contextTokens(): number {
    return this.#contextTokens;
  }

  /** The messages without the oldest turns, if the prompt is too long. @throws OakError `LLM_PROMPT_TOO_LONG`. */
  fit(prompt: Prompt, replyTokens: number, cut: Cut): FittedMessages {
    const reserved = Math.min(replyTokens, this.#contextTokens >> 1);
    return fitMessages(prompt.messages, cut, this.#contextTokens - reserved - 1, (messages) =>
      Math.ceil(bytesOf({ ...prompt, messages }) * this.#tokensPerByte * MARGIN),
    );
  }

  /** The server has counted this prompt. */
  counted(prompt: Prompt, tokens: number): void {
    const bytes = bytesOf(prompt);
    if (bytes > 0 && tokens > 0) this.#tokensPerByte = tokens / bytes;
  }

  /** The server refused a prompt as too long. False when it cannot become shorter. @param contextTokens The server's, if it is known. */
  shrink(contextTokens = this.#contextTokens >> 1): boolean {
    const next = Math.min(contextTokens, this.#contextTokens >> 1);
    if (next < MIN_CONTEXT_TOKENS) return false;
    this.#contextTokens = next;
    return true;
  }

  /** The server's context, if it is smaller than the configured one. */
  limit(contextTokens: number): void {
    this.#contextTokens = Math.max(MIN_CONTEXT_TOKENS, Math.min(this.#contextTokens, contextTokens));
  }
}

const bytesOf = (prompt: Prompt): number => Buffer.byteLength(JSON.stringify(wirePrompt(prompt)));

import type { Prompt } from "../language-model.ts";
import { fitMessages, type Cut, type FittedMessages } from "../prompt/fit-messages.ts";
import { wirePrompt } from "./chat-messages.ts";

/** Before the server has counted a prompt: short English words, or two thirds of a character in other scripts. */
const FIRST_TOKENS_PER_BYTE = 0.35;
const MIN_CONTEXT_TOKENS = 512;
/** Counts outside are wrong, or of a short prompt in a long template. */
const LEAST_TOKENS_PER_BYTE = 0.02;
const MOST_TOKENS_PER_BYTE = 1;
/** An estimate that is too low costs a request. */
const MARGIN = 1.1;

/** Estimates tokens by the length of the text. The server's counts correct the estimate. */
export class PromptBudget {
  readonly #configuredTokens: number;
  #contextTokens: number;
  #tokensPerByte = FIRST_TOKENS_PER_BYTE;

  constructor(contextTokens: number) {
    this.#configuredTokens = contextTokens;
    this.#contextTokens = contextTokens;
  }

  get contextTokens(): number {
    return this.#contextTokens;
  }

  /**
   * The messages without the oldest turns, if the prompt is too long. @param contextTokens Less than the context after a refusal.
   * @throws OakError `LLM_PROMPT_TOO_LONG`.
   */
  fit(prompt: Prompt, replyTokens: number, cut: Cut, contextTokens = this.#contextTokens): FittedMessages {
    const reserved = Math.min(replyTokens, contextTokens >> 1);
    return fitMessages(prompt.messages, cut, contextTokens - reserved - 1, (messages) =>
      Math.ceil(bytesOf({ ...prompt, messages }) * this.#tokensPerByte * MARGIN),
    );
  }

  /** The server has counted this prompt. */
  counted(prompt: Prompt, tokens: number): void {
    const bytes = bytesOf(prompt);
    const perByte = tokens / bytes;
    if (perByte >= LEAST_TOKENS_PER_BYTE && perByte <= MOST_TOKENS_PER_BYTE) this.#tokensPerByte = perByte;
  }

  /**
   * The context for another attempt, after the server refused a prompt as too long. Undefined when it cannot become shorter. Other
   * prompts keep the whole context, because the refusal may come from a wrong estimate.
   * @param tried The context of the refused attempt. @param contextTokens The server's, if the refusal says it.
   */
  shorter(tried = this.#contextTokens, contextTokens = Infinity): number | undefined {
    const next = Math.min(contextTokens, tried >> 1);
    return next < MIN_CONTEXT_TOKENS ? undefined : next;
  }

  /** The server's context, of which the configured one is the most. */
  limit(contextTokens: number): void {
    this.#contextTokens = Math.max(MIN_CONTEXT_TOKENS, Math.min(this.#configuredTokens, contextTokens));
  }
}

const bytesOf = (prompt: Prompt): number => Buffer.byteLength(JSON.stringify(wirePrompt(prompt)));

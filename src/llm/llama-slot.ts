import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { ChatPrompt, StopTriggers } from "./chat-prompt.ts";
import type { ChatMessage, GenerateRequest } from "./contract.ts";
import { fitMessages, noCut, type Cut } from "./fit-messages.ts";
import { TokenText } from "./token-text.ts";

/** Tokens of a prompt evaluated between two looks at the abort signal, and between two tokens of other callers. */
const promptChunkTokens = 128;
/**
 * A reply that goes round in circles must not be spoken: its own long phrases become ever less likely. What the prompt
 * says may be repeated. `lastTokens` must be given: node-llama-cpp 3.21 does nothing with its default.
 */
const dryRepeatPenalty = { strength: 0.8, allowedLength: 6, lastTokens: 512 };

/**
 * One sequence of the context with its key-value cache. It holds nothing that a request does not bring along: each
 * prompt is compared with the cache, which is cut back to what both have in common.
 */
export class LlamaSlot {
  readonly #sequence: LlamaContextSequence;
  readonly #prompt: ChatPrompt;
  readonly #stop: StopTriggers;
  #caller: number | undefined;
  /** Where the caller's conversation was cut; of the caller before it says nothing. */
  #cut: Cut = noCut;
  /** Settles when the request before has left the sequence. */
  #free: Promise<void> = Promise.resolve();

  constructor(sequence: LlamaContextSequence, prompt: ChatPrompt, stop: StopTriggers) {
    this.#sequence = sequence;
    this.#prompt = prompt;
    this.#stop = stop;
  }

  /** Yields "" as often as it has read on: a sign of life. */
  async *prefill(
    caller: number,
    messages: readonly ChatMessage[],
    reserveTokens: number,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    using _ = await this.#enter();
    const tokens = this.#fit(caller, messages, this.#mostOf(reserveTokens));
    yield* this.#evaluate(tokens, tokens.length, 2, signal);
  }

  /** As `prefill` first, then the reply's text. */
  async *generate(caller: number, request: GenerateRequest, signal: AbortSignal): AsyncGenerator<string> {
    using _ = await this.#enter();
    const maxTokens = this.#mostOf(request.maxTokens);
    const tokens = this.#fit(caller, request.messages, maxTokens);
    // The last chunk goes with the first token's evaluation: on a large model a pass over the weights is what costs.
    yield* this.#evaluate(tokens, tokens.length - promptChunkTokens, 5, signal);
    const lastChunk = tokens.slice(this.#sequence.nextTokenIndex);
    const text = new TokenText<Token>(
      (some, before) => this.#sequence.model.detokenize(some, false, before),
      this.#stop.texts,
      tokens,
    );
    const sampling = { temperature: request.temperature, topK: 40, topP: 0.95, minP: 0.05, dryRepeatPenalty };
    let count = 0;
    for await (const token of this.#sequence.evaluate(lastChunk, sampling)) {
      signal.throwIfAborted();
      if (this.#stop.tokens.has(token)) break;
      const piece = text.push(token);
      if (piece !== "") yield piece;
      count += 1;
      if (text.stopped || count >= maxTokens) break;
    }
    const rest = text.end();
    if (rest !== "") yield rest;
  }

  /** A reply takes half of the context at most, or no prompt would fit beside one that may be long. */
  #mostOf(replyTokens: number): number {
    return Math.min(replyTokens, this.#sequence.contextSize >> 1);
  }

  #fit(caller: number, messages: readonly ChatMessage[], reserveTokens: number): Token[] {
    if (caller !== this.#caller) [this.#caller, this.#cut] = [caller, noCut];
    const budgetTokens = this.#sequence.contextSize - reserveTokens - 1;
    let tokens: Token[] = [];
    const fitted = fitMessages(messages, this.#cut, budgetTokens, (kept) => {
      tokens = this.#prompt.tokens(kept);
      return tokens.length;
    });
    this.#cut = fitted.cut;
    return tokens;
  }

  /**
   * Makes the cache a beginning of `tokens`, at least `upTo` long and at least one short of the whole; evaluates only
   * what comes after the common beginning.
   */
  async *#evaluate(
    tokens: Token[],
    upTo: number,
    evaluationPriority: 2 | 5,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    signal.throwIfAborted();
    const most = tokens.length - 1;
    await this.#sequence.adaptStateToTokens(tokens.slice(0, most), false);
    while (this.#sequence.nextTokenIndex < Math.min(upTo, most)) {
      signal.throwIfAborted();
      const start = this.#sequence.nextTokenIndex;
      const chunk = tokens.slice(start, Math.min(start + promptChunkTokens, most));
      await this.#sequence.evaluateWithoutGeneratingNewTokens(chunk, { evaluationPriority });
      yield "";
    }
  }

  async #enter(): Promise<Disposable> {
    const before = this.#free;
    let leave!: () => void;
    this.#free = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    return { [Symbol.dispose]: leave };
  }
}

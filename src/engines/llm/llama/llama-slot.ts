import { randomInt } from "node:crypto";
import { addAbortListener } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { EvaluationPriority, LlamaContextSequence, Token } from "node-llama-cpp";
import type { ChatPrompt } from "../prompt/chat-prompt.ts";
import {
  DEFAULT_TEMPERATURE,
  type ChatMessage,
  type Prompt,
  type ToolCall,
  type ToolDefinition,
} from "../language-model.ts";
import { fitMessages, noCut, type Cut } from "../prompt/fit-messages.ts";
import type { LlamaOptions, SlotGenerateRequest, SlotPrefillRequest, SlotRequest } from "./llama-engine.ts";
import { LEAST_TOKENS, type PromptPace } from "./prompt-pace.ts";
import { openReader, type ReplyReader } from "./reply-reader.ts";
import { SequenceCache } from "./sequence-cache.ts";
import type { SharedBeginnings } from "./shared-beginnings.ts";

const SIGN_OF_LIFE_MS = 1_000;
const PREFILL_PRIORITY = 2;
const REPLY_PRIORITY = 5;
/**
 * Keeps a reply from repeating its own long phrases. Phrases of the prompt may be repeated. `lastTokens` must be set, because
 * node-llama-cpp 3.21 ignores its default.
 */
const dryRepeatPenalty = { strength: 1.2, allowedLength: 6, lastTokens: 512 };

interface FittedPrompt {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly tokens: readonly Token[];
}

/**
 * One sequence of the context with its key-value cache. Every request brings the whole conversation. The slot keeps the
 * beginning that cache and prompt have in common, and evaluates the rest.
 */
export class LlamaSlot {
  readonly #sequence: LlamaContextSequence;
  readonly #cache: SequenceCache;
  readonly #prompt: ChatPrompt;
  readonly #beginnings: SharedBeginnings;
  readonly #pace: PromptPace;
  readonly #temperature: number;
  readonly #trainedTokens: number | undefined;
  #caller: number | undefined;
  /** The request under way is background work. */
  #isBackground = false;
  /** The cut in this caller's conversation. */
  #cut: Cut = noCut;
  /** Settles when the previous request has released the sequence. */
  #free: Promise<void> = Promise.resolve();

  constructor(
    sequence: LlamaContextSequence,
    prompt: ChatPrompt,
    beginnings: SharedBeginnings,
    pace: PromptPace,
    { temperature, trainedTokens }: Pick<LlamaOptions, "temperature" | "trainedTokens"> = {},
  ) {
    this.#sequence = sequence;
    this.#cache = new SequenceCache(sequence);
    this.#prompt = prompt;
    this.#beginnings = beginnings;
    this.#pace = pace;
    this.#temperature = temperature ?? DEFAULT_TEMPERATURE;
    this.#trainedTokens = trainedTokens;
  }

  get canRewind(): boolean {
    return this.#cache.canRewind;
  }

  get #chunkTokens(): number {
    return this.#isBackground ? LEAST_TOKENS : this.#pace.chunkTokens;
  }

  /** Evaluates the prompt, whose last message may continue in the next request. Yields "" after each chunk to report progress. */
  async *prefill(request: SlotPrefillRequest, signal: AbortSignal): AsyncGenerator<string> {
    using _ = await this.#enter(signal);
    this.#isBackground = request.isBackground === true;
    await this.#prompt.callable(request.prompt);
    const prompt = this.#fit(request.caller, request.prompt, this.#replyLimit(request.reserveTokens));
    yield* this.#reuse(request, prompt, PREFILL_PRIORITY, signal);
    const length = this.canRewind ? prompt.tokens.length : this.#certainLength(prompt);
    yield* this.#evaluate(prompt.tokens, length, PREFILL_PRIORITY, signal);
    await this.#cache.mark();
  }

  /** Yields "" after each chunk of the prompt, then the reply's text and calls. */
  async *generate({ request, ...to }: SlotGenerateRequest, signal: AbortSignal): AsyncGenerator<string | ToolCall> {
    using _ = await this.#enter(signal);
    this.#isBackground = to.isBackground === true;
    const maxTokens = this.#replyLimit(request.maxTokens);
    const callable = await this.#prompt.callable(request);
    const prompt = this.#fit(to.caller, request, maxTokens);
    const { tokens } = prompt;
    yield* this.#reuse(to, prompt, REPLY_PRIORITY, signal);
    if (!this.canRewind) yield* this.#markHistory(prompt, signal);
    // The last chunk is evaluated with the first token: on a large model each pass over the weights costs the same.
    yield* this.#evaluate(tokens, tokens.length - this.#chunkTokens, REPLY_PRIORITY, signal);
    const reader = openReader(this.#prompt, request, callable, tokens);
    yield* this.#write(
      reader,
      tokens.slice(this.#cache.length),
      request.temperature ?? this.#temperature,
      maxTokens,
      signal,
    );
    yield* reader.end();
  }

  /** Generates the reply. `chunk`: the last tokens of the prompt. */
  async *#write(
    reader: ReplyReader,
    chunk: readonly Token[],
    temperature: number,
    maxTokens: number,
    signal: AbortSignal,
  ): AsyncGenerator<string | ToolCall> {
    // The library's own seed is the second of now: replies of one second, and a second attempt, would be the same.
    const sampling = { temperature, topK: 40, topP: 0.95, minP: 0.05, seed: randomInt(2 ** 32), dryRepeatPenalty };
    const grammarEvaluationState = () => reader.grammar;
    const calls = reader.mayCall ? {} : { tokenBias: this.#prompt.noCalls };
    const tokens = this.#sequence.evaluate([...chunk, ...reader.next], {
      ...sampling,
      ...calls,
      grammarEvaluationState,
    });
    let next: readonly Token[] | undefined;
    try {
      for (let count = 0; count < maxTokens && !reader.isOver; count += reader.next.length) {
        const { value: token, done } = await tokens.next(next && [...next]);
        signal.throwIfAborted();
        if (done === true) return;
        const pieces = reader.push(token);
        yield* pieces;
        // A sign of life while a call or a thought is written.
        if (pieces.length === 0) yield "";
        // The first token is not evaluated yet. After an interruption the cache returns to the end of the prompt.
        if (count === 0) await this.#cache.mark();
        next = reader.next;
      }
    } finally {
      await tokens.return();
    }
  }

  /** At most half of the context, so that the prompt has room. */
  #replyLimit(replyTokens: number): number {
    return Math.min(replyTokens, this.#sequence.contextSize >> 1);
  }

  #fit(caller: number, { messages, tools }: Prompt, reserveTokens: number): FittedPrompt {
    if (caller !== this.#caller) [this.#caller, this.#cut] = [caller, noCut];
    const budgetTokens = this.#sequence.contextSize - reserveTokens - 1;
    let tokens: Token[] = [];
    const count = (kept: readonly ChatMessage[]) => {
      tokens = this.#prompt.tokens(kept, tools);
      return tokens.length;
    };
    const fitted = fitMessages(messages, this.#cut, budgetTokens, count, this.#trainedTokens);
    this.#cut = fitted.cut;
    return { messages: fitted.messages, tools, tokens };
  }

  /** Makes the cache a beginning of the prompt, at least one token short of it. */
  async *#reuse(
    { beginning }: SlotRequest,
    { tokens }: FittedPrompt,
    priority: EvaluationPriority,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    signal.throwIfAborted();
    await this.#cache.cutTo(tokens.slice(0, -1));
    if (beginning === undefined) return;
    const shared = this.#beginnings.tokens(beginning);
    const different = shared.findIndex((token, at) => token !== tokens[at]);
    if (different >= 0) {
      // Other tools or a longer system message: the caller shares a part of it.
      if (!this.canRewind || this.#cache.length >= different) return;
      if (await this.#beginnings.load(beginning, this.#cache)) await this.#cache.cutTo(tokens.slice(0, -1));
      return;
    }
    if (this.#cache.length > shared.length) return;
    for (;;) {
      if (this.#cache.length < shared.length && (await this.#beginnings.load(beginning, this.#cache))) {
        await this.#cache.cutTo(tokens.slice(0, -1));
        return;
      }
      const evaluation = this.#beginnings.evaluationOf(beginning);
      if (evaluation === undefined) break;
      await Promise.race([evaluation, sleep(SIGN_OF_LIFE_MS, undefined, { signal, ref: false })]).catch(
        () => undefined,
      );
      signal.throwIfAborted();
      yield "";
    }
    using _ = this.#beginnings.announceEvaluation(beginning);
    yield* this.#evaluate(tokens, shared.length, priority, signal);
    await this.#beginnings.save(beginning, this.#cache);
  }

  /** Marks the end of the text before the newest words, because these change while the caller speaks. */
  async *#markHistory(prompt: FittedPrompt, signal: AbortSignal): AsyncGenerator<string> {
    const length = this.#commonLength(prompt, () => ".");
    if (this.#cache.length >= length) return;
    yield* this.#evaluate(prompt.tokens, length, REPLY_PRIORITY, signal);
    await this.#cache.mark();
  }

  /** Tokens that stay when the last message goes on: punctuation and a line break may become one token. */
  #certainLength(prompt: FittedPrompt): number {
    return Math.min(...[" .", "\n."].map((more) => this.#commonLength(prompt, (content) => content + more)));
  }

  /** Tokens at the beginning of the prompt that stay when the last message's content changes so. */
  #commonLength({ messages, tools }: FittedPrompt, change: (content: string) => string): number {
    const last = messages.at(-1);
    if (last === undefined) return 0;
    const other = [...messages.slice(0, -1), { ...last, content: change(last.content) }];
    return this.#prompt.commonTokens(messages, other, tools).length;
  }

  /** Evaluates up to `length`, but never the last token: it must be evaluated with the reply. */
  async *#evaluate(
    tokens: readonly Token[],
    length: number,
    evaluationPriority: EvaluationPriority,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const end = Math.min(length, tokens.length - 1);
    while (this.#cache.length < end) {
      signal.throwIfAborted();
      const start = this.#cache.length;
      const chunk = tokens.slice(start, Math.min(start + this.#chunkTokens, end));
      const startedMs = performance.now();
      await this.#sequence.evaluateWithoutGeneratingNewTokens(chunk, { evaluationPriority });
      this.#pace.evaluated(chunk.length, performance.now() - startedMs);
      yield "";
    }
  }

  /** An aborted request leaves the queue at once: a client that asks and stops again and again has no more than one of them waiting. */
  async #enter(signal: AbortSignal): Promise<Disposable> {
    const before = this.#free;
    let leave!: () => void;
    this.#free = new Promise((resolve) => {
      leave = resolve;
    });
    let stopWaiting!: () => void;
    const aborted = new Promise<void>((resolve) => (stopWaiting = resolve));
    using _ = addAbortListener(signal, stopWaiting);
    await Promise.race([before, aborted]);
    if (signal.aborted) {
      void before.then(leave);
      throw signal.reason;
    }
    return { [Symbol.dispose]: leave };
  }
}

import { OakError } from "../../../shared/errors.ts";
import type { RemoteEngine } from "../../remote/remote-engine.ts";
import { RemoteFault } from "../../remote/remote-fault.ts";
import { beforeRetry, MOST_ATTEMPTS } from "../../remote/retry.ts";
import { type Cut, noCut } from "../prompt/fit-messages.ts";
import type { GenerateRequest, LanguageSession, Prompt, ToolCall } from "../language-model.ts";
import type { ChatServer } from "./chat-server.ts";

/** As for the built-in engine: so that a prefill is cut at the same place as its reply. */
const FIRST_RESERVE_TOKENS = 256;

/** One caller's conversation. The server finds the evaluated beginning of the prompt by itself. */
export class RemoteSession implements LanguageSession {
  readonly #server: ChatServer;
  readonly #engine: RemoteEngine;
  #cut: Cut = noCut;
  #reserveTokens = FIRST_RESERVE_TOKENS;
  #isClosed = false;

  constructor(server: ChatServer, engine: RemoteEngine) {
    this.#server = server;
    this.#engine = engine;
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<string | ToolCall> {
    this.#requireReady(signal);
    this.#reserveTokens = request.maxTokens;
    using deadline = this.#engine.deadline(signal);
    let contextTokens: number | undefined;
    for (let attempt = 0; ; attempt += 1) {
      let hasBegun = false;
      try {
        for await (const piece of this.#server.reply(this.#fit(request, contextTokens), deadline)) {
          hasBegun = true;
          yield piece;
        }
        signal.throwIfAborted();
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RemoteFault)) throw error;
        this.#engine.health.suspect(error);
        if (hasBegun) throw error;
        if (error.code === "LLM_PROMPT_TOO_LONG" && attempt < MOST_ATTEMPTS - 1)
          contextTokens = this.#shorter(error, contextTokens);
        else await beforeRetry(error, attempt, deadline);
      }
      signal.throwIfAborted();
    }
  }

  /** One attempt: the reply comes also without it. */
  async prefill(prompt: Prompt, signal: AbortSignal): Promise<void> {
    this.#requireReady(signal);
    using deadline = this.#engine.deadline(signal);
    try {
      await this.#server.evaluate(this.#fit({ ...prompt, maxTokens: this.#reserveTokens }), deadline);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RemoteFault) this.#engine.health.suspect(error);
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The context for the next attempt. @throws The error when there is none. */
  #shorter(error: RemoteFault, tried: number | undefined): number {
    const contextTokens = this.#server.budget.shorter(tried, error.contextTokens);
    if (contextTokens === undefined) throw error;
    return contextTokens;
  }

  #fit<Asked extends Prompt & { readonly maxTokens: number }>(asked: Asked, contextTokens?: number): Asked {
    const { messages, cut } = this.#server.budget.fit(asked, asked.maxTokens, this.#cut, contextTokens);
    this.#cut = cut;
    return { ...asked, messages };
  }

  #requireReady(signal: AbortSignal): void {
    if (this.#isClosed) throw new OakError("This language session is closed.", { code: "LLM_SESSION_CLOSED" });
    signal.throwIfAborted();
    this.#engine.health.requireReady();
  }
}

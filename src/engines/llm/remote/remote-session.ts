import type { Clock } from "../../../shared/clock.ts";
import { OakError } from "../../../shared/errors.ts";
import { Deadline } from "../../remote/deadline.ts";
import { lateFault, RemoteFault } from "../../remote/remote-fault.ts";
import type { RemoteHealth } from "../../remote/remote-health.ts";
import { type Cut, noCut } from "../fit-messages.ts";
import type { GenerateRequest, LanguageSession, Prompt, ToolCall } from "../language-model.ts";
import type { ChatServer } from "./chat-server.ts";

/** Waits before the second and the third attempt. */
const RETRY_AFTER_MS = [100, 400];
/** A caller does not wait longer for a server that asks for a pause. */
const LONGEST_PAUSE_MS = 2_000;
/** As for the built-in engine: so that a prefill is cut at the same place as its reply. */
const FIRST_RESERVE_TOKENS = 256;

export interface RemoteSessionParts {
  readonly server: ChatServer;
  readonly health: RemoteHealth;
  readonly deadlineSeconds: number;
  readonly clock: Clock;
}

/** One caller's conversation. The server finds the evaluated beginning of the prompt by itself. */
export class RemoteSession implements LanguageSession {
  readonly #parts: RemoteSessionParts;
  #cut: Cut = noCut;
  #reserveTokens = FIRST_RESERVE_TOKENS;
  #isClosed = false;

  constructor(parts: RemoteSessionParts) {
    this.#parts = parts;
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<string | ToolCall> {
    this.#requireReady(signal);
    this.#reserveTokens = request.maxTokens;
    using deadline = this.#deadline(signal);
    let contextTokens: number | undefined;
    for (let attempt = 0; ; attempt += 1) {
      let hasBegun = false;
      try {
        for await (const piece of this.#parts.server.reply(this.#fit(request, contextTokens), deadline)) {
          hasBegun = true;
          yield piece;
        }
        signal.throwIfAborted();
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RemoteFault)) throw error;
        this.#parts.health.suspect(error);
        if (hasBegun) throw error;
        if (error.code === "LLM_PROMPT_TOO_LONG" && attempt < RETRY_AFTER_MS.length)
          contextTokens = this.#shorter(error, contextTokens);
        else await this.#beforeRetry(error, attempt, deadline);
      }
      signal.throwIfAborted();
    }
  }

  /** One attempt: the reply comes also without it. */
  async prefill(prompt: Prompt, signal: AbortSignal): Promise<void> {
    this.#requireReady(signal);
    using deadline = this.#deadline(signal);
    try {
      await this.#parts.server.evaluate(this.#fit({ ...prompt, maxTokens: this.#reserveTokens }), deadline);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RemoteFault) this.#parts.health.suspect(error);
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when it is time for the next attempt. @throws The error when there is none. */
  async #beforeRetry(error: RemoteFault, attempt: number, deadline: Deadline): Promise<void> {
    const pauseMs = Math.max(error.retryAfterMs ?? 0, RETRY_AFTER_MS[attempt] ?? Infinity);
    if (!error.retryable || pauseMs > LONGEST_PAUSE_MS || deadline.signal.aborted) throw withoutReply(error);
    await deadline.sleep(pauseMs);
  }

  /** The context for the next attempt. @throws The error when there is none. */
  #shorter(error: RemoteFault, tried: number | undefined): number {
    const contextTokens = this.#parts.server.budget.shorter(tried, error.contextTokens);
    if (contextTokens === undefined) throw error;
    return contextTokens;
  }

  #fit<Asked extends Prompt & { readonly maxTokens: number }>(asked: Asked, contextTokens?: number): Asked {
    const { messages, cut } = this.#parts.server.budget.fit(asked, asked.maxTokens, this.#cut, contextTokens);
    this.#cut = cut;
    return { ...asked, messages };
  }

  #deadline(signal: AbortSignal): Deadline {
    const { server, deadlineSeconds, clock } = this.#parts;
    return new Deadline(signal, deadlineSeconds * 1000, clock, () => lateFault(server.to, deadlineSeconds));
  }

  #requireReady(signal: AbortSignal): void {
    if (this.#isClosed) throw new OakError("This language session is closed.", { code: "LLM_SESSION_CLOSED" });
    signal.throwIfAborted();
    this.#parts.health.requireReady();
  }
}

/** The conversation repeats a request of an engine that crashed. The attempts here are enough. */
const withoutReply = (error: RemoteFault): RemoteFault =>
  error.code === "ENGINE_CRASHED" ? new RemoteFault("ENGINE_UNAVAILABLE", error.message, { cause: error }) : error;

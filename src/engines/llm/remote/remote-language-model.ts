import { addAbortListener } from "node:events";
import type { RemoteModelConfig } from "../../../config/remote-model.ts";
import { readSecret } from "../../../config/secret.ts";
import type { Egress } from "../../../egress/egress.ts";
import { systemClock, type Clock } from "../../../shared/clock.ts";
import { OakError } from "../../../shared/errors.ts";
import type { Log } from "../../../shared/log.ts";
import type { EngineHealth } from "../../engine-health.ts";
import { Deadline } from "../../remote/deadline.ts";
import { RemoteClient } from "../../remote/remote-client.ts";
import { lateFault, RemoteFault, type RemoteModel } from "../../remote/remote-fault.ts";
import { RemoteHealth } from "../../remote/remote-health.ts";
import { type LanguageModel, type LanguageSession, noTools } from "../language-model.ts";
import { ChatServer } from "./chat-server.ts";
import { contextOf } from "./model-list.ts";
import { PromptBudget } from "./prompt-budget.ts";
import { RemoteSession } from "./remote-session.ts";

const NAME = "language model";
const LONGEST_TRY_SECONDS = 10;
const HELLO = { ...noTools, messages: [{ role: "user", content: "Hello." }] } as const;

export interface RemoteLanguageOptions {
  readonly remote: RemoteModelConfig;
  readonly contextTokens: number;
  readonly deadlineSeconds: number;
  /** Closed with the model. */
  readonly egress: Egress;
  readonly log: Log;
  readonly clock?: Clock;
  /** Ends a start that is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

export interface RemoteLanguage extends LanguageModel {
  readonly health: EngineHealth;
  /** It has none here. */
  readonly process?: undefined;
  /** Tokens of all requests so far. */
  readonly tokens: ChatServer["tokens"];
}

/**
 * A language model that an OpenAI-compatible server runs, such as llama-server, vLLM or SGLang. Starts also while the server cannot
 * be reached.
 * @throws OakError `ENGINE_START_FAILED` for a fault that only the operator can remedy.
 */
export async function startRemoteLanguageModel(options: RemoteLanguageOptions): Promise<RemoteLanguage> {
  const model = new RemoteLanguageModel(options);
  using _ = options.signal && addAbortListener(options.signal, () => void model.close());
  try {
    await model.start();
    return model;
  } catch (cause) {
    await model.close();
    if (!(cause instanceof RemoteFault)) throw cause;
    throw new OakError(cause.message, { code: "ENGINE_START_FAILED", cause });
  }
}

/** All sessions share the server's health and the estimate of tokens. */
class RemoteLanguageModel implements RemoteLanguage {
  readonly health: RemoteHealth;
  readonly #options: RemoteLanguageOptions;
  readonly #clock: Clock;
  readonly #client: RemoteClient;
  readonly #server: ChatServer;

  constructor(options: RemoteLanguageOptions) {
    const { remote, contextTokens, egress, log, clock = systemClock } = options;
    const key = readSecret({ file: remote.keyFile, variable: undefined }, "")?.text;
    const to: RemoteModel = { name: NAME, setting: "models.llm", host: new URL(remote.url).host, model: remote.model };
    this.#options = options;
    this.#clock = clock;
    this.#client = new RemoteClient({ ...to, url: remote.url, key, egress });
    this.#server = new ChatServer(this.#client, new PromptBudget(contextTokens), remote.extraBody);
    this.health = new RemoteHealth({
      name: NAME,
      log,
      clock,
      tryOut: async (signal) => {
        await this.#within(signal, (deadline) => this.#server.evaluate(HELLO, deadline));
        // Some servers have no list of models.
        await this.#readContext(signal).catch(() => undefined);
      },
      check: (signal) => this.#readContext(signal),
    });
  }

  get tokens(): ChatServer["tokens"] {
    return this.#server.tokens;
  }

  async start(): Promise<void> {
    await this.health.start();
    if (this.health.state !== "ready") return;
    const { log, remote } = this.#options;
    const { budget, to } = this.#server;
    log.info(
      { engine: NAME, host: to.host, model: remote.model, contextTokens: budget.contextTokens },
      "language model ready",
    );
  }

  open(): LanguageSession {
    const { deadlineSeconds } = this.#options;
    return new RemoteSession({ server: this.#server, health: this.health, deadlineSeconds, clock: this.#clock });
  }

  async close(): Promise<void> {
    await this.health.close();
    await this.#client.close();
  }

  /** The server may have started after this one, or again with another context. */
  async #readContext(signal: AbortSignal): Promise<void> {
    const list = await this.#within(signal, (deadline) => this.#server.list(deadline));
    this.#server.budget.limit(contextOf(list, this.#options.remote.model) ?? Infinity);
  }

  async #within<Result>(signal: AbortSignal, work: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    const seconds = Math.min(LONGEST_TRY_SECONDS, this.#options.deadlineSeconds);
    using deadline = new Deadline(signal, seconds * 1000, this.#clock, () => lateFault(this.#server.to, seconds));
    return await work(deadline);
  }
}

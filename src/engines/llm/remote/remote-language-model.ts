import type { RemoteLanguageConfig } from "../../remote/remote-model.ts";
import type { Deadline } from "../../remote/deadline.ts";
import { RemoteEngine, type RemoteEngineOptions } from "../../remote/remote-engine.ts";
import type { RemoteHealth } from "../../remote/remote-health.ts";
import { type LanguageModel, type LanguageSession, noTools } from "../language-model.ts";
import { ChatServer } from "./chat-server.ts";
import { contextOf } from "./model-list.ts";
import { PromptBudget } from "./prompt-budget.ts";
import { RemoteSession } from "./remote-session.ts";

const NAME = "language model";
const HELLO = { ...noTools, messages: [{ role: "user", content: "Hello." }] } as const;

export interface RemoteLanguageOptions extends RemoteEngineOptions<RemoteLanguageConfig> {
  readonly contextTokens: number;
}

export interface RemoteLanguage extends LanguageModel {
  readonly health: RemoteHealth;
  /** It has none here. */
  readonly process?: undefined;
  /** Tokens of all requests so far. */
  readonly tokens: ChatServer["tokens"];
}

/**
 * A language model that an OpenAI-compatible server runs, such as llama-server, vLLM or SGLang. Starts also while the server cannot
 * be reached. All sessions share the server's health and the estimate of tokens.
 * @throws OakError `ENGINE_START_FAILED` for a fault that only the operator can remedy.
 */
export async function startRemoteLanguageModel(options: RemoteLanguageOptions): Promise<RemoteLanguage> {
  const { remote, log, contextTokens } = options;
  /** The server may have started after this one, or again with another context. */
  const readContext = async (deadline: Deadline) =>
    server.budget.limit(contextOf(await server.list(deadline), remote.model) ?? Infinity);
  const kind = {
    name: NAME,
    setting: "models.llm",
    tryOut: async (_: unknown, deadline: Deadline) => {
      await server.evaluate(HELLO, deadline);
      deadline.restart();
      // Some servers have no list of models.
      await readContext(deadline).catch(() => undefined);
    },
    check: (_: unknown, deadline: Deadline) => readContext(deadline),
  };
  const engine = new RemoteEngine(kind, options);
  const server = new ChatServer(engine.client, new PromptBudget(contextTokens), remote.extraBody);
  await engine.start();
  const { host, model } = server.to;
  if (engine.health.state === "ready")
    log.info({ engine: NAME, host, model, contextTokens: server.budget.contextTokens }, "language model ready");
  return {
    health: engine.health,
    tokens: server.tokens,
    open: (): LanguageSession => new RemoteSession(server, engine),
    close: () => engine.close(),
  };
}

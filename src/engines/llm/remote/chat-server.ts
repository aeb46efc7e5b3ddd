import { z } from "zod";
import type { Deadline } from "../../remote/deadline.ts";
import type { RemoteClient } from "../../remote/remote-client.ts";
import { answerFault, type RemoteModel } from "../../remote/remote-fault.ts";
import { DEFAULT_TEMPERATURE, type GenerateRequest, type Prompt, type ToolCall } from "../language-model.ts";
import { wirePrompt } from "./chat-messages.ts";
import { ChatReader } from "./chat-reader.ts";
import type { PromptBudget } from "./prompt-budget.ts";
import { readReply } from "./reply-stream.ts";

/** Events have 200 to 400 bytes for each token. */
const bytesFor = (tokens: number): number => 65_536 + tokens * 2_048;
const MAX_ANSWER_BYTES = 65_536;
const MAX_LIST_BYTES = 1_048_576;
const PATH = "/chat/completions";

/** Single requests to an OpenAI-compatible server, without retries. */
export class ChatServer {
  /** Tokens of all requests so far. */
  readonly tokens = { prompt: 0, cached: 0, reply: 0 };
  readonly budget: PromptBudget;
  readonly #client: RemoteClient;
  readonly #extraBody: Readonly<Record<string, unknown>>;

  /** @param extraBody Fields that each request has besides those of the interface. */
  constructor(client: RemoteClient, budget: PromptBudget, extraBody: Readonly<Record<string, unknown>>) {
    this.#client = client;
    this.budget = budget;
    this.#extraBody = extraBody;
  }

  get to(): RemoteModel {
    return this.#client.to;
  }

  /** @throws RemoteFault; OakError `LLM_CALL_INCOMPLETE`; the reason of the deadline's signal. */
  async *reply(request: GenerateRequest, deadline: Deadline): AsyncGenerator<string | ToolCall> {
    const json = {
      ...this.#body(request),
      max_tokens: request.maxTokens,
      temperature: request.temperature ?? DEFAULT_TEMPERATURE,
      stream: true,
      stream_options: { include_usage: true },
    };
    const maxBytes = bytesFor(request.maxTokens);
    const sent = { path: PATH, json, accept: "text/event-stream", maxBytes, signal: deadline.signal };
    const answer = await deadline.wait(this.#client.send(sent));
    const reader = new ChatReader(this.to, request);
    yield* readReply(this.to, answer, reader, deadline);
    const { usage } = reader;
    if (usage === undefined) return;
    this.tokens.prompt += usage.promptTokens;
    this.tokens.cached += usage.cachedTokens;
    this.tokens.reply += usage.replyTokens;
    this.budget.counted(request, usage.promptTokens);
  }

  /** Has the prompt evaluated, and drops its first token. */
  async evaluate(prompt: Prompt, deadline: Deadline): Promise<void> {
    const json = { ...this.#body(prompt), max_tokens: 1, temperature: 0, stream: false };
    const sent = { path: PATH, json, accept: "application/json", maxBytes: MAX_ANSWER_BYTES };
    const { body } = await this.#client.read(sent, deadline);
    if (!isCompletion(body.toString())) throw answerFault(this.to, "something else than a chat completion");
  }

  /** The server's list of models, as text. */
  async list(deadline: Deadline): Promise<string> {
    const sent = { path: "/models", accept: "application/json", maxBytes: MAX_LIST_BYTES };
    return (await this.#client.read(sent, deadline)).body.toString();
  }

  #body(prompt: Prompt): object {
    return { ...this.#extraBody, model: this.to.model, ...wirePrompt(prompt) };
  }
}

const completionSchema = z.object({ choices: z.array(z.unknown()).min(1) });

function isCompletion(body: string): boolean {
  try {
    return completionSchema.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

import {
  resolveChatWrapper,
  type ChatHistoryItem,
  type ChatWrapper,
  type LlamaModel,
  type Token,
} from "node-llama-cpp";
import type { ChatMessage } from "./language-model.ts";

/** Texts that end a reply, in addition to the model's end-of-generation tokens. */
export interface StopTriggers {
  readonly tokens: ReadonlySet<Token>;
  readonly texts: readonly string[];
}

/**
 * Renders messages with the chat template that the model file carries. Message texts are tokenised as plain text, so
 * that a caller who says "<|im_end|>" cannot end a turn; only the template's own text becomes special tokens.
 */
export class ChatPrompt {
  readonly #model: LlamaModel;
  readonly #wrapper: ChatWrapper;

  constructor(model: LlamaModel) {
    this.#model = model;
    // A voice reply must start at once, so reasoning is switched off in models that have it.
    const customWrapperSettings = { jinjaTemplate: { reasoning: false } };
    this.#wrapper = resolveChatWrapper(model, { type: "jinjaTemplate", customWrapperSettings, warningLogs: false });
  }

  /** The prompt up to the point where the reply begins. */
  tokens(messages: readonly ChatMessage[]): Token[] {
    const { contextText } = this.#render(messages);
    const tokens = contextText.tokenize(this.#model.tokenizer);
    const { bos, shouldPrependBosToken } = this.#model.tokens;
    if (shouldPrependBosToken && bos !== null && tokens[0] !== bos) tokens.unshift(bos);
    return tokens;
  }

  /** The common beginning of two prompts. */
  commonTokens(messages: readonly ChatMessage[], other: readonly ChatMessage[]): Token[] {
    const [tokens, others] = [this.tokens(messages), this.tokens(other)];
    const length = tokens.findIndex((token, at) => token !== others[at]);
    return length < 0 ? tokens : tokens.slice(0, length);
  }

  stopTriggers(): StopTriggers {
    const tokens = new Set<Token>();
    const texts: string[] = [];
    for (const trigger of this.#render([{ role: "user", content: "Hello." }]).stopGenerationTriggers) {
      if (trigger.values.every((value) => typeof value === "string")) {
        texts.push(trigger.toString());
        continue;
      }
      const [token, ...more] = trigger.tokenize(this.#model.tokenizer);
      if (token !== undefined && more.length === 0) tokens.add(token);
    }
    return { tokens, texts: texts.filter((text) => text !== "") };
  }

  #render(messages: readonly ChatMessage[]): ReturnType<ChatWrapper["generateContextState"]> {
    const chatHistory = messages.map(toHistoryItem);
    return this.#wrapper.generateContextState({ chatHistory: [...chatHistory, { type: "model", response: [] }] });
  }
}

function toHistoryItem({ role, content }: ChatMessage): ChatHistoryItem {
  return role === "assistant" ? { type: "model", response: [content] } : { type: role, text: content };
}

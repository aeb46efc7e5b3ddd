import {
  resolveChatWrapper,
  TokenBias,
  type ChatHistoryItem,
  type ChatWrapper,
  type LlamaModel,
  type LlamaText,
  type Token,
} from "node-llama-cpp";
import { OakError } from "../../../shared/errors.ts";
import { hermesForm, openerOf, type CallForm, type Opener } from "../tool-call-format/call-form.ts";
import { CallGrammars, type CallableTools } from "../tool-call-format/call-grammars.ts";
import { hermesMessages, mergedMessages, type TextMessage } from "./hermes-messages.ts";
import type { ChatMessage, Prompt, ToolDefinition } from "../language-model.ts";
import { ToolTemplate } from "./tool-template.ts";

/** Texts that end a reply, in addition to the model's end-of-generation tokens. */
export interface StopTriggers {
  readonly tokens: ReadonlySet<Token>;
  readonly texts: readonly string[];
}

/**
 * Renders messages with the chat template that the model file carries. Message texts are tokenised as plain text, so
 * that a caller who says "<|im_end|>" cannot end a turn; only the template's own text becomes special tokens. Tools and calls have
 * the form of the template, or of Hermes models when the template knows no tools.
 */
export class ChatPrompt {
  readonly model: LlamaModel;
  readonly #wrapper: ChatWrapper;
  readonly #template: ToolTemplate | undefined;
  readonly opener: Opener;
  readonly grammars: CallGrammars;
  readonly stop: StopTriggers;
  /** For replies that may not call: the special token that begins a call, if there is one, is never chosen. */
  readonly noCalls: TokenBias;

  constructor(model: LlamaModel) {
    this.model = model;
    // A voice reply must start at once, so reasoning is switched off in models that have it.
    const customWrapperSettings = { jinjaTemplate: { reasoning: false } };
    this.#wrapper = resolveChatWrapper(model, { type: "jinjaTemplate", customWrapperSettings, warningLogs: false });
    this.#template = ToolTemplate.of(model);
    this.opener = openerOf(model, this.form);
    this.grammars = new CallGrammars(model, this.form);
    this.stop = this.#stopTriggers();
    this.noCalls = TokenBias.for(model);
    if (this.opener.token !== undefined) this.noCalls.set(this.opener.token, "never");
  }

  /** How the model writes calls. */
  get form(): CallForm {
    return this.#template?.form ?? hermesForm;
  }

  /** The prompt up to the point where the reply begins. */
  tokens(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): Token[] {
    const tokens = this.#text(mergedMessages(messages), tools).tokenize(this.model.tokenizer);
    const { bos, shouldPrependBosToken } = this.model.tokens;
    if (shouldPrependBosToken && bos !== null && tokens[0] !== bos) tokens.unshift(bos);
    return tokens;
  }

  /** The common beginning of two prompts. */
  commonTokens(
    messages: readonly ChatMessage[],
    other: readonly ChatMessage[],
    tools: readonly ToolDefinition[] = [],
  ): Token[] {
    const [tokens, others] = [this.tokens(messages, tools), this.tokens(other, tools)];
    const length = tokens.findIndex((token, at) => token !== others[at]);
    return length < 0 ? tokens : tokens.slice(0, length);
  }

  /** The tools that a reply may call. Rejects with TOOL_UNUSABLE. */
  async callable({ tools, toolChoice }: Pick<Prompt, "tools" | "toolChoice">): Promise<CallableTools | undefined> {
    if (tools.length === 0) return undefined;
    const all = await this.grammars.of(tools);
    if (toolChoice === "none") return undefined;
    if (typeof toolChoice === "string") return all;
    const chosen = all.tools.filter(({ name }) => name === toolChoice.name);
    if (chosen.length > 0) return { ...all, tools: chosen };
    const message = `The tool choice names ${toolChoice.name}, which is not among the tools.`;
    throw new OakError(message, { code: "TOOL_UNUSABLE" });
  }

  #stopTriggers(): StopTriggers {
    const tokens = new Set<Token>();
    const texts: string[] = [];
    for (const trigger of this.#render([{ role: "user", content: "Hello." }]).stopGenerationTriggers) {
      if (trigger.values.every((value) => typeof value === "string")) {
        texts.push(trigger.toString());
        continue;
      }
      const [token, ...more] = trigger.tokenize(this.model.tokenizer);
      if (token !== undefined && more.length === 0) tokens.add(token);
    }
    return { tokens, texts: texts.filter((text) => text !== "") };
  }

  #text(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): LlamaText {
    const texts = messages.filter((message) => message.role !== "call");
    if (tools.length === 0 && texts.length === messages.length) return this.#render(texts).contextText;
    if (this.#template !== undefined) return this.#template.render(messages, tools);
    return this.#render(hermesMessages(this.model, messages, tools)).contextText;
  }

  #render(messages: readonly TextMessage[]): ReturnType<ChatWrapper["generateContextState"]> {
    const chatHistory = messages.map(({ role, content }): ChatHistoryItem => {
      return role === "assistant" ? { type: "model", response: [content] } : { type: role, text: content };
    });
    return this.#wrapper.generateContextState({ chatHistory: [...chatHistory, { type: "model", response: [] }] });
  }
}

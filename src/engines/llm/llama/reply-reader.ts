import type { LlamaGrammarEvaluationState, LlamaModel, Token } from "node-llama-cpp";
import type { CallForm, Opener } from "../tool-call-format/call-form.ts";
import type { CallableTools, CallGrammars } from "../tool-call-format/call-grammars.ts";
import { CallWriter } from "../tool-call-format/call-writer.ts";
import type { Arguments, CallRest } from "../tool-call-format/call-syntax.ts";
import type { ChatMessage, Prompt, ToolCall, ToolDefinition } from "../language-model.ts";
import type { ChatPrompt, StopTriggers } from "../prompt/chat-prompt.ts";
import { MadeCalls } from "../tool-call-format/made-calls.ts";
import { TokenText } from "./token-text.ts";
import { begunCall } from "../tool-call-format/written/call-forms.ts";
import { callFault, type CallFault } from "../tool-call-format/written/call-fault.ts";
import { ReplyText, type FoundCall } from "../tool-call-format/written/reply-text.ts";

export interface ReplyReaderOptions {
  readonly model: LlamaModel;
  readonly stop: StopTriggers;
  readonly form: CallForm;
  readonly opener: Opener;
  readonly grammars: CallGrammars;
  /** The tools that may be called. Undefined: a call ends the reply. */
  readonly callable: CallableTools | undefined;
  readonly messages: readonly ChatMessage[];
  /** All of the prompt. A call's text is only expected when there are some. */
  readonly tools: readonly ToolDefinition[];
  /** Limits a reply that may not call to words. */
  readonly words: LlamaGrammarEvaluationState | undefined;
  /** The prompt. */
  readonly before: readonly Token[];
}

/** @param before The prompt's tokens. */
export function openReader(
  chat: ChatPrompt,
  { messages, tools, toolChoice }: Prompt,
  callable: CallableTools | undefined,
  before: readonly Token[],
): ReplyReader {
  const { model, stop, form, opener, grammars } = chat;
  const words = callable === undefined && tools.length > 0 ? grammars.words() : undefined;
  const reader = new ReplyReader({ model, stop, form, opener, grammars, callable, messages, tools, words, before });
  if (callable !== undefined && toolChoice !== "auto") reader.require();
  return reader;
}

/** Divides the tokens of a reply into words and calls, and holds the model to a call that it begins. */
export class ReplyReader {
  readonly #options: ReplyReaderOptions;
  readonly #made: MadeCalls;
  readonly #reply: ReplyText;
  #text: TokenText<Token>;
  #writer: CallWriter | undefined;
  #next: readonly Token[] = [];
  #isOver = false;
  #fault: CallFault | undefined;

  constructor(options: ReplyReaderOptions) {
    const { tools, callable, opener, before } = options;
    this.#options = options;
    this.#made = new MadeCalls(options.messages);
    this.#reply = new ReplyText({ tools, mayCall: callable !== undefined, opener: opener.text });
    this.#text = this.#newText(before);
  }

  /** The reply begins with a call. */
  require(): void {
    const { callable, form } = this.#options;
    if (callable === undefined) return;
    this.#writer = this.#newWriter(callable);
    this.#next = this.#tokensOf(form.prefix + this.#writer.require(callable));
  }

  get mayCall(): boolean {
    return this.#options.callable !== undefined;
  }

  /** Limits the next token. */
  get grammar(): LlamaGrammarEvaluationState | undefined {
    return this.#writer?.grammar ?? this.#options.words;
  }

  /** Tokens to evaluate before the next one is chosen. Mostly the last one, and text of a call that is certain. */
  get next(): readonly Token[] {
    return this.#next;
  }

  get isOver(): boolean {
    return this.#isOver || this.#reply.isOver;
  }

  push(token: Token): (string | ToolCall)[] {
    this.#next = [token];
    if (this.#writer !== undefined) return this.#write(this.#writer, token);
    if (this.#options.stop.tokens.has(token)) {
      this.#isOver = true;
      return [];
    }
    const text = this.#text.push(token);
    const pieces = this.#piecesOf(this.#reply.push(text));
    if (this.#text.isStopped) this.#isOver = true;
    if (!this.isOver) this.#hold(token, text);
    return pieces;
  }

  /** Throws OakError when a call was not made: it is cut, not readable, or of a tool that does not exist. */
  end(): (string | ToolCall)[] {
    const pieces = this.#piecesOf([...this.#reply.push(this.#text.end()), ...this.#reply.end()]);
    const fault = this.#writer === undefined ? (this.#fault ?? this.#reply.fault) : "cut";
    if (pieces.length === 0 && fault !== undefined) throw callFault(fault, "The language model");
    return pieces;
  }

  #piecesOf(found: readonly (string | FoundCall)[]): (string | ToolCall)[] {
    return found.flatMap<string | ToolCall>((piece) =>
      typeof piece === "string" ? [piece] : this.#call(piece.tool.name, piece.args),
    );
  }

  #call(name: string, args: Arguments): ToolCall[] {
    const call = this.#made.add(name, args);
    if (call === undefined) this.#isOver = true;
    return call === undefined ? [] : [call];
  }

  /** From here on the model is held to the call that it begins: in the form of its template, or in the one that it writes. */
  #hold(token: Token, text: string): void {
    const { callable, opener, form } = this.#options;
    const written = this.#reply.callText?.trimStart();
    if (callable === undefined || written === undefined || opener.text === "") return;
    if (written.startsWith(opener.text)) {
      this.#writer = this.#newWriter(callable);
      this.#goOn(token, text, written.length - opener.text.length, form.prefix.slice(opener.text.length));
      return;
    }
    const begun = begunCall(written);
    if (begun === undefined) return;
    const writer = this.#newWriter(callable, begun.rest);
    const rest = writer.name(begun.name);
    if (writer.isUnknown) this.#fail("unknown");
    if (rest === undefined) return;
    this.#writer = writer;
    this.#goOn(token, text, written.length - begun.end, rest);
  }

  /** The next text is `rest`, in the place of the last `over` characters. */
  #goOn(token: Token, text: string, over: number, rest: string): void {
    if (over === 0) this.#next = [token, ...this.#tokensOf(rest)];
    else this.#next = this.#tokensOf(text.slice(0, Math.max(0, text.length - over)) + rest);
  }

  #newWriter(callable: CallableTools, rest: CallRest = this.#options.form): CallWriter {
    const { model, grammars } = this.#options;
    return new CallWriter(model, rest, grammars, callable.tools);
  }

  #write(writer: CallWriter, token: Token): ToolCall[] {
    this.#next = writer.push(token);
    if (writer.isUnknown) this.#fail("unknown");
    const { call } = writer;
    if (call === undefined) return [];
    this.#writer = undefined;
    this.#text = this.#newText([]);
    this.#reply.called();
    return this.#call(call.name, call.args);
  }

  #fail(fault: CallFault): void {
    this.#writer = undefined;
    this.#isOver = true;
    if (this.#made.count === 0) this.#fault = fault;
  }

  #newText(before: readonly Token[]): TokenText<Token> {
    const { model, stop } = this.#options;
    return new TokenText<Token>((some, last) => model.detokenize(some, true, last), stop.texts, before);
  }

  #tokensOf(text: string): Token[] {
    return text === "" ? [] : this.#options.model.tokenize(text, true);
  }
}

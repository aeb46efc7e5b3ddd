import type { LlamaGrammarEvaluationState, LlamaModel, Token } from "node-llama-cpp";
import { OakError } from "../../shared/errors.ts";
import type { CallForm, Opener } from "./call-form.ts";
import type { CallableTools, CallGrammars } from "./call-grammars.ts";
import { callMarks } from "./call-marks.ts";
import { CallWriter } from "./call-writer.ts";
import type { ToolCall, ToolDefinition } from "./language-model.ts";
import { TokenText } from "./token-text.ts";

/** Calls of one reply. Small models can repeat themselves until the context is full. */
const MAX_CALLS = 8;

/** Texts that end a reply, in addition to the model's end-of-generation tokens. */
export interface StopTriggers {
  readonly tokens: ReadonlySet<Token>;
  readonly texts: readonly string[];
}

export interface ReplyReaderOptions {
  readonly model: LlamaModel;
  readonly stop: StopTriggers;
  readonly form: CallForm;
  readonly opener: Opener;
  readonly grammars: CallGrammars;
  /** The tools that may be called. Undefined: a call ends the reply. */
  readonly callable: CallableTools | undefined;
  /** All of the prompt. A call's text is only expected when there are some. */
  readonly tools: readonly ToolDefinition[];
  /** The prompt. */
  readonly before: readonly Token[];
}

/** Divides the tokens of a reply into words and calls. Words after a call would guess its result, so they end the reply. */
export class ReplyReader {
  readonly #options: ReplyReaderOptions;
  readonly #stopTexts: readonly string[];
  #text: TokenText<Token>;
  #writer: CallWriter | undefined;
  readonly #calls: ToolCall[] = [];
  #given: readonly Token[] = [];
  #isOver = false;

  constructor(options: ReplyReaderOptions) {
    const { tools, stop, opener } = options;
    this.#options = options;
    const isOwn = (mark: string) => mark.startsWith(opener.text) || opener.text.startsWith(mark);
    const calls = [opener.text, ...callMarks(tools).filter((mark) => !isOwn(mark))];
    this.#stopTexts = tools.length === 0 ? stop.texts : [...stop.texts, ...calls];
    this.#text = this.#newText(options.before);
  }

  /** The reply begins with a call. */
  require(): void {
    this.#begin("", "");
  }

  get mayCall(): boolean {
    return this.#options.callable !== undefined;
  }

  /** Limits the next token while a call is written. */
  get grammar(): LlamaGrammarEvaluationState | undefined {
    return this.#writer?.grammar;
  }

  /** Tokens to evaluate before the next one is chosen. */
  get given(): readonly Token[] {
    return this.#given;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  push(token: Token): (string | ToolCall)[] {
    this.#given = [];
    if (this.#writer !== undefined) return this.#write(this.#writer, token);
    const { stop, opener } = this.#options;
    if (stop.tokens.has(token)) this.#isOver = true;
    else if (token === opener.token) return this.#meetCall(this.#text.end(), "");
    else return this.#read(this.#text.push(token));
    return [];
  }

  /** Throws LLM_CALL_INCOMPLETE when the last call is cut. */
  end(): (string | ToolCall)[] {
    if (this.#writer !== undefined) {
      const message = "The reply reached its longest length inside a tool call. Raise max_reply_tokens.";
      throw new OakError(message, { code: "LLM_CALL_INCOMPLETE" });
    }
    return this.#words(this.#text.end());
  }

  #read(piece: string): (string | ToolCall)[] {
    const { stop } = this.#text;
    if (stop?.text === this.#options.opener.text) return this.#meetCall(piece, stop.rest);
    if (stop !== undefined) this.#isOver = true;
    return this.#words(piece);
  }

  #words(piece: string): string[] {
    if (this.#calls.length === 0) return piece === "" ? [] : [piece];
    if (piece.trim() !== "") this.#isOver = true;
    return [];
  }

  /** `rest`: text after the opener, in the same token. */
  #meetCall(piece: string, rest: string): (string | ToolCall)[] {
    const words = this.#words(piece);
    if (this.#options.callable === undefined || this.#calls.length >= MAX_CALLS) this.#isOver = true;
    else if (!this.#isOver) this.#begin(this.#options.opener.text, rest);
    return words;
  }

  #begin(opener: string, more: string): void {
    const { model, form, grammars, callable } = this.#options;
    if (callable === undefined) return;
    this.#writer = new CallWriter(model, form, grammars, callable, { opener, more });
    this.#given = this.#writer.given;
  }

  #write(writer: CallWriter, token: Token): ToolCall[] {
    writer.push(token);
    this.#given = writer.given;
    const { call } = writer;
    if (call === undefined) return [];
    this.#writer = undefined;
    this.#text = this.#newText([]);
    // A model that repeats a call would go on forever.
    if (this.#calls.some(({ name, arguments: args }) => name === call.name && args === call.arguments)) {
      this.#isOver = true;
      return [];
    }
    this.#calls.push(call);
    return [call];
  }

  #newText(before: readonly Token[]): TokenText<Token> {
    const { model } = this.#options;
    return new TokenText<Token>((some, last) => model.detokenize(some, false, last), this.#stopTexts, before);
  }
}

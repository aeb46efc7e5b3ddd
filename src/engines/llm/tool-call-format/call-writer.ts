import type { LlamaGrammarEvaluationState, LlamaModel, Token } from "node-llama-cpp";
import type { CallableTool, CallableTools, CallGrammars } from "./call-grammars.ts";
import type { Arguments, CallRest } from "./call-syntax.ts";
import { ToolNames } from "./tool-names.ts";

const NAME = /^[\w.-]+(?=[^\w.-])/u;
const MAX_NAME_CHARS = 128;

/** Writes one call with the model: the model chooses the name and the arguments, and the rest is given to it. */
export class CallWriter {
  /** Limits the next token. */
  grammar: LlamaGrammarEvaluationState | undefined;
  call: { readonly name: string; readonly args: Arguments } | undefined;
  /** The model names a tool that does not exist. */
  isUnknown = false;
  readonly #model: LlamaModel;
  readonly #rest: CallRest;
  readonly #grammars: CallGrammars;
  readonly #tools: readonly CallableTool[];
  readonly #names: ToolNames<CallableTool>;
  #tool: CallableTool | undefined;
  #isRequired = false;
  #text = "";
  #tokens: Token[] = [];

  constructor(model: LlamaModel, rest: CallRest, grammars: CallGrammars, tools: readonly CallableTool[]) {
    this.#model = model;
    this.#rest = rest;
    this.#grammars = grammars;
    this.#tools = tools;
    this.#names = new ToolNames(tools);
  }

  /** Only names of tools are possible. Returns the text that is certain. */
  require({ names }: CallableTools): string {
    const [only] = this.#tools;
    if (only !== undefined && this.#tools.length === 1) return only.name + this.#choose(only);
    this.#isRequired = true;
    this.grammar = this.#grammars.begin(names);
    return "";
  }

  /** The model has written the name. Returns the text up to the arguments. Undefined when no grammar can hold the model. */
  name(written: string): string | undefined {
    const tool = this.#names.find(written);
    this.isUnknown = tool === undefined;
    return tool && this.#choose(tool);
  }

  /** The tokens to evaluate next: this one and what is certain after it, or others in its place. */
  push(token: Token): Token[] {
    const before = this.#text;
    this.#tokens.push(token);
    this.#text = this.#model.detokenize(this.#tokens, true);
    if (this.#tool !== undefined) return [token, ...this.#readArguments(this.#tool)];
    if (this.#isRequired) return [token, ...this.#readRequiredName()];
    const [written] = NAME.exec(this.#text) ?? [];
    if (written === undefined) {
      this.isUnknown = this.#text.length > MAX_NAME_CHARS;
      return [token];
    }
    const after = this.name(written);
    return after === undefined ? [token] : this.#tokensOf((written + after).slice(before.length));
  }

  #readRequiredName(): readonly Token[] {
    const { afterName } = this.#rest;
    const [tool, ...others] = this.#tools.filter(({ name }) => (name + afterName).startsWith(this.#text));
    if (tool === undefined || others.length > 0) return [];
    const certain = (tool.name + afterName).slice(this.#text.length);
    this.#choose(tool);
    return this.#tokensOf(certain);
  }

  #choose(tool: CallableTool): string {
    this.#tool = tool;
    this.#tokens = [];
    this.#text = "";
    this.grammar = this.#grammars.begin(this.#grammars.argumentsOf(tool, this.#rest.syntax));
    return this.#rest.afterName;
  }

  #readArguments({ name, parameters }: CallableTool): readonly Token[] {
    const args = this.#rest.syntax.parse(this.#text, parameters);
    if (args === undefined) return [];
    this.call = { name, args };
    this.grammar = undefined;
    return this.#tokensOf(this.#rest.suffix);
  }

  #tokensOf(text: string): Token[] {
    return text === "" ? [] : this.#model.tokenize(text, true);
  }
}

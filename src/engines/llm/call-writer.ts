import { randomBytes } from "node:crypto";
import type { LlamaGrammarEvaluationState, LlamaModel, Token } from "node-llama-cpp";
import type { CallForm } from "./call-form.ts";
import type { CallableTool, CallableTools, CallGrammars } from "./call-grammars.ts";
import type { ToolCall } from "./language-model.ts";

/** Forces one call: the model chooses the name and the arguments, and the rest is given to it. */
export class CallWriter {
  /** Limits the next token. */
  grammar: LlamaGrammarEvaluationState | undefined;
  /** Tokens of the call that the model does not choose. They are evaluated before the next token. */
  given: readonly Token[];
  call: ToolCall | undefined;
  readonly #model: LlamaModel;
  readonly #form: CallForm;
  readonly #grammars: CallGrammars;
  readonly #tools: readonly CallableTool[];
  #tool: CallableTool | undefined;
  #text = "";
  #tokens: Token[] = [];

  /** `begun`: the part of the call's prefix that the model has written, and text of the same token after it. */
  constructor(
    model: LlamaModel,
    form: CallForm,
    grammars: CallGrammars,
    { tools, names }: CallableTools,
    begun: { readonly opener: string; readonly more: string },
  ) {
    this.#model = model;
    this.#form = form;
    this.#grammars = grammars;
    this.#tools = tools;
    const rest = unwritten(form.prefix.slice(begun.opener.length), begun.more);
    const [only] = tools;
    if (only !== undefined && tools.length === 1) this.given = this.#choose(only, rest + only.name + form.afterName);
    else {
      this.given = this.#tokensOf(rest);
      this.grammar = grammars.begin(names);
    }
  }

  push(token: Token): void {
    this.#tokens.push(token);
    this.#text = this.#model.detokenize(this.#tokens, true);
    this.given = [];
    if (this.#tool === undefined) this.#readName();
    else this.#readArguments(this.#tool);
  }

  #readName(): void {
    const { afterName } = this.#form;
    const written = (tool: CallableTool) => tool.name + afterName;
    const [tool, ...others] = this.#tools.filter((each) => written(each).startsWith(this.#text));
    if (tool === undefined || others.length > 0) return;
    this.given = this.#choose(tool, written(tool).slice(this.#text.length));
  }

  #choose(tool: CallableTool, given: string): readonly Token[] {
    this.#tool = tool;
    this.#tokens = [];
    this.grammar = this.#grammars.begin(tool.grammar);
    return this.#tokensOf(given);
  }

  #readArguments({ name, parameters }: CallableTool): void {
    const args = this.#form.syntax.parse(this.#text, parameters);
    if (args === undefined) return;
    this.call = { id: `call_${randomBytes(10).toString("hex")}`, name, arguments: JSON.stringify(args) };
    this.grammar = undefined;
    this.given = this.#tokensOf(this.#form.suffix);
  }

  #tokensOf(text: string): Token[] {
    return text === "" ? [] : this.#model.tokenize(text, true);
  }
}

/** The rest of the prefix. White space differs between a model and its template. */
function unwritten(prefix: string, begun: string): string {
  const [rest, more] = [prefix.trimStart(), begun.trimStart()];
  return more !== "" && rest.startsWith(more) ? rest.slice(more.length) : prefix;
}

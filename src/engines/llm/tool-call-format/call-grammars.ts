import { LlamaGrammar, LlamaGrammarEvaluationState, type Llama, type LlamaModel } from "node-llama-cpp";
import { OakError } from "../../../shared/errors.ts";
import type { CallForm } from "./call-form.ts";
import type { CallSyntax } from "./call-syntax.ts";
import { checkTool } from "./check-tool.ts";
import { SessionBudget } from "./grammar-rules.ts";
import { oneOf, quoted } from "./grammar-text.ts";
import type { ToolDefinition } from "../language-model.ts";

/** Sets of tools whose grammars are kept. */
const MAX_SETS = 16;

/** One line of words, without the signs that begin a call or a tag. A weak model repeats itself, so the line ends. */
const WORDS = String.raw`root ::= [^<>{}[\x5D\x60|_#*()"'.,:;!?=/\x00-\x20-] [^<>{}[\x5D\x60|_\x00-\x1F]{0,400}`;

/** The grammar of one tool's arguments. */
export interface CallableTool {
  readonly name: string;
  readonly parameters: unknown;
  readonly grammar: LlamaGrammar;
  /** The limits of the set's grammars in other forms. */
  readonly budgets: Map<CallSyntax, SessionBudget>;
}

/** The grammars of a set of tools. */
export interface CallableTools {
  readonly tools: readonly CallableTool[];
  /** The names, each with the text that follows it in a call. */
  readonly names: LlamaGrammar;
}

/** Compiles the grammars of tools, once for each set. */
export class CallGrammars {
  readonly #model: LlamaModel;
  readonly #form: CallForm;
  readonly #llama: Llama;
  #words: LlamaGrammar | undefined;
  /** Grammars of arguments in other forms than the model's own. */
  readonly #others = new WeakMap<CallableTool, Map<CallSyntax, LlamaGrammar>>();
  /** Least recently used first. */
  readonly #known = new Map<string, Promise<CallableTools>>();

  constructor(model: LlamaModel, form: CallForm) {
    this.#model = model;
    this.#form = form;
    this.#llama = model.llama;
  }

  /** Rejects with TOOL_UNUSABLE, which names the tool. */
  of(tools: readonly ToolDefinition[]): Promise<CallableTools> {
    const key = JSON.stringify(tools);
    const grammars = this.#known.get(key) ?? this.#compile(tools);
    this.#known.delete(key);
    this.#known.set(key, grammars);
    const [oldest = ""] = this.#known.keys();
    if (this.#known.size > MAX_SETS) this.#known.delete(oldest);
    return grammars;
  }

  begin(grammar: LlamaGrammar): LlamaGrammarEvaluationState {
    return new LlamaGrammarEvaluationState({ model: this.#model, grammar });
  }

  /** The grammar of the arguments in the model's own form, or in another one that it writes. */
  argumentsOf(tool: CallableTool, syntax: CallSyntax): LlamaGrammar {
    if (syntax === this.#form.syntax) return tool.grammar;
    const known = this.#others.get(tool) ?? new Map<CallSyntax, LlamaGrammar>();
    this.#others.set(tool, known);
    const grammar = known.get(syntax) ?? this.#compileOther(tool, syntax);
    known.set(syntax, grammar);
    return grammar;
  }

  /** Begins a reply that has words and nothing else. */
  words(): LlamaGrammarEvaluationState {
    this.#words ??= new LlamaGrammar(this.#llama, { grammar: WORDS });
    return this.begin(this.#words);
  }

  /** The grammar of some of the names. */
  async namesOf(names: readonly string[]): Promise<LlamaGrammar> {
    const { afterName } = this.#form;
    const grammar = `root ::= ${oneOf(names)} ${quoted(afterName)}`;
    return this.#llama.createGrammar({ grammar });
  }

  #compileOther({ name, parameters, budgets }: CallableTool, syntax: CallSyntax): LlamaGrammar {
    const budget = budgets.get(syntax) ?? new SessionBudget();
    budgets.set(syntax, budget);
    return new LlamaGrammar(this.#llama, { grammar: syntax.grammar(name, parameters, budget) });
  }

  async #compile(tools: readonly ToolDefinition[]): Promise<CallableTools> {
    const session = new SessionBudget();
    const budgets = new Map<CallSyntax, SessionBudget>();
    const compiled = tools.map(async (tool): Promise<CallableTool> => {
      checkTool(tool);
      const { name, parameters } = tool;
      const grammar = this.#form.syntax.grammar(name, parameters, session);
      return { name, parameters, grammar: await this.#llama.createGrammar({ grammar }).catch(refuse(name)), budgets };
    });
    return { tools: await Promise.all(compiled), names: await this.namesOf(tools.map(({ name }) => name)) };
  }
}

const refuse =
  (tool: string) =>
  (cause: unknown): never => {
    const message = `The parameters of the tool ${tool} make a grammar that llama.cpp refuses. Make them simpler.`;
    throw new OakError(message, { code: "TOOL_UNUSABLE", cause });
  };

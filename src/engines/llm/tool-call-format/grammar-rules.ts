import { unusableTool } from "./tool-arguments.ts";

/** Enough for any schema that people write: a usual tool needs less than 2,000. */
const MAX_SIZE = 131_072;
const MAX_SIZE_OF_ALL = 524_288;

/** The work that all grammars of a session may take together. */
export class SessionBudget {
  left = MAX_SIZE_OF_ALL;
}

/** Bounds the work on one tool's grammar before it is done. */
export class GrammarBudget {
  readonly #tool: string;
  readonly #session: SessionBudget;
  #left = MAX_SIZE;

  constructor(tool: string, session = new SessionBudget()) {
    this.#tool = tool;
    this.#session = session;
  }

  /** `size`: characters of a rule or of compared texts, or how often a rule is repeated. Throws TOOL_UNUSABLE. */
  spend(size: number): void {
    this.#left -= size;
    this.#session.left -= size;
    if (this.#left < 0) throw unusableTool(this.#tool, "make too large a grammar");
    if (this.#session.left < 0)
      throw unusableTool(this.#tool, "and those of the tools before it make too large a grammar");
  }
}

/** The rules of one grammar. Equal rules are written once. */
export class GrammarRules {
  readonly #budget: GrammarBudget;
  readonly #rules: string[] = [];
  readonly #names = new Map<string, string>();

  constructor(budget: GrammarBudget) {
    this.#budget = budget;
  }

  /** The grammar of a text that `body` describes. */
  text(body: string): string {
    this.#budget.spend(body.length);
    return [`root ::= ${body}`, ...this.#rules].join("\n");
  }

  /** Returns the name of a rule with this body. `repeats`: how often llama.cpp writes a part of it. */
  add(body: string, repeats = 0): string {
    const known = this.#names.get(body);
    if (known !== undefined) return known;
    const name = this.reserve();
    this.define(name, body, repeats);
    this.#names.set(body, name);
    return name;
  }

  /** The name of a rule that may refer to itself. */
  reserve(): string {
    return `rule${String(this.#rules.push(""))}`;
  }

  define(name: string, body: string, repeats = 0): void {
    this.#budget.spend(body.length + repeats);
    this.#rules[Number(name.slice("rule".length)) - 1] = `${name} ::= ${body}`;
  }
}

import type { ChatMessage, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { plainWords, resembles } from "./said-words.ts";

/** The voice starts with a clause, so waiting for its end delays no speech. */
const CLAUSE_END = /[.!?…。！？,;:\n]["'”’)]*\s|\n/gu;
const MAX_HELD = 200;

/** Passes the text of a reply clause by clause, up to a clause that reports an act for which no call was made. */
export class HeldClaims {
  readonly #language: Language;
  readonly #tools: readonly ToolDefinition[];
  readonly #called: ReadonlySet<string>;
  #held = "";
  #sentence = "";
  #hasCalled = false;
  /** The clause that was held. Nothing after it passes. */
  isClaim = false;

  constructor(
    { tools, messages }: { readonly tools: readonly ToolDefinition[]; readonly messages: readonly ChatMessage[] },
    language: Language,
  ) {
    this.#language = language;
    this.#tools = tools;
    this.#called = new Set(messages.flatMap((message) => (message.role === "call" ? [message.name] : [])));
    this.#hasCalled = messages.at(-1)?.role === "call" || tools.length === 0 || language.facts.claims.length === 0;
  }

  /** A call is made, so words may report it. Returns the words before it. */
  called(): string {
    this.#hasCalled = true;
    return this.#pass("");
  }

  push(text: string): string {
    if (this.isClaim) return "";
    if (this.#hasCalled) return this.#pass(text);
    this.#held += text;
    const end = [...this.#held.matchAll(CLAUSE_END)].at(-1);
    if (end === undefined) return this.#held.length > MAX_HELD ? this.end() : "";
    const clause = this.#held.slice(0, end.index + end[0].length);
    this.#held = this.#held.slice(clause.length);
    return this.#check(clause);
  }

  /** The rest, when no more text comes. */
  end(): string {
    const clause = this.#held;
    this.#held = "";
    return this.isClaim ? "" : this.#check(clause);
  }

  #pass(text: string): string {
    const passed = this.#held + text;
    this.#held = "";
    return passed;
  }

  #check(clause: string): string {
    if (this.#hasCalled) return clause;
    this.#sentence += clause;
    const { claims } = this.#language.facts;
    this.isClaim = claims.some((claim) => {
      const verb = claim.exec(this.#sentence)?.groups?.["verb"];
      return verb !== undefined && this.#isFalse(verb);
    });
    if (/[.!?\n]\s*$/u.test(clause)) this.#sentence = "";
    return this.isClaim ? "" : clause;
  }

  /** A tool of that name was not called. Without such a tool: nothing was called, and the words name an act of some tool. */
  #isFalse(verb: string): boolean {
    const named = this.#tools.filter((tool) => isAct(verb, tool));
    return named.length > 0 && !named.some(({ name }) => this.#called.has(name));
  }
}

const isAct = (verb: string, { name, description }: ToolDefinition): boolean => {
  const [act = ""] = plainWords(verb);
  return [...plainWords(name), ...plainWords(description)].some((word) => resembles(act, word));
};

import type { ChatMessage, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { FACTORS } from "./said-values.ts";
import { plainWords, resembles, SaidWords } from "./said-words.ts";

/** The voice starts with a clause, so waiting for its end delays no speech. */
const CLAUSE_END = /[.!?…。！？,;:\n]["'”’)]*\s|\n/gu;
const SENTENCE_END = /[.!?…。！？\n]["'”’)]*\s|\n/gu;
/** Explanations for a programmer begin so. */
const EXPLAINS = /^\s*(?:to|here)\b/iu;
/** A line of the prompt that the program wrote, such as the time. */
const NOTE = /^\([^\n]*\)$/gmu;
/** A slow model must not pause for longer. */
const MAX_HELD = 80;

/** A weak model explains the functions to a programmer. The caller knows nothing of them. */
const JARGON = [
  /\b(?:JSON|XML|(?:tool|function)[ _]calls?|code snippet|user query)\b|\b[A-Z][a-z]+Error:/u,
  /\bfunction\b.{0,30}\b(?:parameters|arguments)\b|\b(?:call|use|using)\b.{0,60}\bfunction\b/iu,
  /^\s*(?:the|a) (?:caller|user|customer)(?:'s| is| has| have| should| can| needs?| wants?| must| cannot| would| will)\b/iu,
  /^\s*(?:null|none|undefined|n\/a)\W*$/iu,
];

/**
 * Passes the text of a reply clause by clause, up to a clause that must not be spoken. Such a clause reports an act for which no call
 * was made, or is about the functions themselves. Without tools only clauses about the speaker are held.
 */
export class HeldClauses {
  readonly #language: Language;
  readonly #tools: readonly ToolDefinition[];
  /** Arguments and results of the calls that were made, by the tool. */
  readonly #called: ReadonlyMap<string, string>;
  readonly #lastWords: string;
  #held = "";
  #sentence = "";
  #hasCalled: boolean;
  /** The last sentence announces an act for which no call was made. */
  isPromise = false;
  /** Why nothing more passes. */
  stop: "claim" | "jargon" | undefined;
  /** The only tool that the report or the announcement can mean. */
  meant: string | undefined;

  constructor(
    { tools, messages }: { readonly tools: readonly ToolDefinition[]; readonly messages: readonly ChatMessage[] },
    language: Language,
  ) {
    this.#language = language;
    this.#tools = tools;
    const called = new Map<string, string>();
    for (const message of messages)
      if (message.role === "call" && message.isDone !== false)
        called.set(message.name, `${called.get(message.name) ?? ""} ${message.arguments} ${message.content}`);
    this.#called = called;
    this.#lastWords = messages.findLast(({ role }) => role === "user")?.content ?? "";
    this.#hasCalled = messages.at(-1)?.role === "call";
  }

  /** A call is made, so words may report it. Returns the words before it. */
  called(): string {
    this.#hasCalled = true;
    return this.end();
  }

  push(text: string): string {
    if (this.stop !== undefined) return "";
    this.#held += text;
    return this.#tools.length === 0 ? this.#passOthers() : this.#release();
  }

  /** Without tools only the speaker's own acts are held. */
  #passOthers(): string {
    const { ownAct } = this.#language.facts;
    const at = ownAct === undefined ? -1 : this.#held.search(ownAct.begins);
    const passed = this.#held.slice(0, at < 0 ? this.#held.length : at);
    this.#held = this.#held.slice(passed.length);
    if (this.#held === "") return passed;
    const isDecided = this.#held.trim().split(/\s+/u).length > (ownAct?.words ?? 0);
    return passed + (isDecided ? this.end() : this.#release());
  }

  #release(): string {
    const ends = EXPLAINS.test(this.#sentence + this.#held) ? SENTENCE_END : CLAUSE_END;
    const end = [...this.#held.matchAll(ends)].at(-1);
    if (end === undefined) return this.#held.length > MAX_HELD ? this.end() : "";
    const clause = this.#held.slice(0, end.index + end[0].length);
    this.#held = this.#held.slice(clause.length);
    return this.#check(clause);
  }

  /** The rest, when no more text comes. */
  end(): string {
    const clause = this.#held;
    this.#held = "";
    return this.stop === undefined && clause !== "" ? this.#check(clause) : "";
  }

  #check(clause: string): string {
    const { claims, promises, ownAct } = this.#language.facts;
    if (this.#tools.length === 0) {
      if (ownAct?.report.test(clause) === true) this.stop = "claim";
      return this.stop === undefined ? clause : "";
    }
    this.#sentence += clause;
    if (JARGON.some((pattern) => pattern.test(this.#sentence))) this.stop = "jargon";
    else if (!this.#hasCalled) {
      if (claims.some((claim) => this.#reports(claim, (verb) => this.#isFalse(verb)))) this.stop = "claim";
      this.isPromise = promises.some((promise) => this.#reports(promise, (verb) => this.#toolsOf(verb).length > 0));
      this.meant = this.#meant();
    }
    if (/[.!?\n]\s*$/u.test(clause)) this.#sentence = "";
    return this.stop === undefined ? clause : "";
  }

  #reports(act: RegExp, isMeant: (verb: string) => boolean): boolean {
    const verb = act.exec(this.#sentence)?.groups?.["verb"];
    return verb !== undefined && isMeant(verb);
  }

  /** A tool does this, and it was never called, or not with a number that the caller has just said. */
  #isFalse(verb: string): boolean {
    const named = this.#toolsOf(verb);
    const done = named.flatMap(({ name }) => this.#called.get(name) ?? []);
    return named.length > 0 && (done.length === 0 || this.#hasNewNumber(done.join(" ")));
  }

  #hasNewNumber(done: string): boolean {
    const known = numbersIn(done);
    const others = numbersIn(this.#sentence).filter((number) => !known.some((each) => isSame(each, number)));
    if (others.length === 0) return false;
    const said = new SaidWords([this.#lastWords.replaceAll(NOTE, "")], this.#language);
    return others.some((number) => said.hasNumber(number));
  }

  /** A verb such as "set" fits several tools. The sentence names one of them, or none. */
  #meant(): string | undefined {
    const { claims, promises } = this.#language.facts;
    const acts = this.stop === "claim" ? claims : this.isPromise ? promises : [];
    const verbs = acts.flatMap((act) => act.exec(this.#sentence)?.groups?.["verb"] ?? []);
    const tools = new Set(verbs.flatMap((verb) => this.#toolsOf(verb)));
    const words = plainWords(this.#sentence);
    const named = [...tools].map(({ name }) => ({
      name,
      words: plainWords(name).filter((word) => words.some((each) => resembles(each, word))).length,
    }));
    const most = Math.max(...named.map((each) => each.words));
    const best = named.filter((each) => each.words === most);
    return best.length === 1 ? best[0]?.name : undefined;
  }

  #toolsOf(verb: string): readonly ToolDefinition[] {
    return this.#tools.filter((tool) => isAct(verb, tool));
  }
}

const numbersIn = (text: string): number[] => (text.match(/\d+/gu) ?? []).map(Number);

/** The same value in another unit, or an hour of the afternoon: "21:00" is nine, 120 minutes are two hours. */
const isSame = (one: number, other: number): boolean =>
  one === other ||
  (one <= 24 && one % 12 === other % 12) ||
  FACTORS.some((factor) => one * factor === other || other * factor === one);

const isAct = (verb: string, { name, description }: ToolDefinition): boolean => {
  const [act = ""] = plainWords(verb);
  return [...plainWords(name), ...plainWords(description)].some((word) => resembles(act, word));
};

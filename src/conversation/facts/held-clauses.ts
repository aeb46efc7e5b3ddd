import type { ChatMessage, ToolDefinition } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { callersWords } from "./callers-words.ts";
import { FACTORS } from "./said-values.ts";
import { reportedTool } from "./reported-order.ts";
import { plainWords, resembles, SaidWords } from "./said-words.ts";

/** The voice starts with a clause, so waiting for its end delays no speech. */
const CLAUSE_END = /[.!?…。！？,;:\n]["'”’)]*\s|\n/gu;
const SENTENCE_END = /[.!?…。！？\n]["'”’)]*\s|\n/gu;
/** Explanations for a programmer begin so. */
const EXPLAINS = /^\s*(?:to|here)\b/iu;
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
  /** All words of the caller. */
  readonly #words: readonly string[];
  readonly #ends: RegExp;
  /** The reply may still be an echo of the caller's order. */
  #mayEcho = true;
  #held = "";
  #sentence = "";
  #hasCalled: boolean;
  /** The tool of the last call, if a second call takes the place of the first. */
  readonly #lastSetter: string | undefined;
  /** The last sentence announces an act for which no call was made. */
  isPromise = false;
  /** Why nothing more passes. */
  stop: "claim" | "jargon" | "wrong" | undefined;
  /** The only tool that the report or the announcement can mean. */
  meant: string | undefined;

  constructor(
    { tools, messages }: { readonly tools: readonly ToolDefinition[]; readonly messages: readonly ChatMessage[] },
    language: Language,
    unit: "clause" | "sentence" = "clause",
  ) {
    this.#language = language;
    this.#tools = tools;
    this.#ends = unit === "clause" ? CLAUSE_END : SENTENCE_END;
    const called = new Map<string, string>();
    for (const message of messages)
      if (message.role === "call" && message.isDone !== false)
        called.set(message.name, `${called.get(message.name) ?? ""} ${message.arguments} ${message.content}`);
    this.#called = called;
    const last = messages.findLast((message) => message.role === "call");
    this.#lastSetter = last?.role === "call" && SETS.test(plainWords(last.name)[0] ?? "") ? last.name : undefined;
    this.#words = callersWords(messages);
    this.#lastWords = this.#words.at(-1) ?? "";
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

  /** Without tools only the speaker's own acts are held, and an echo of the order. */
  #passOthers(): string {
    if (this.#mayEcho && isEcho(this.#held, this.#lastWords, this.#language))
      return /[.!]\s*$/u.test(this.#held) ? this.end() : "";
    this.#mayEcho = false;
    const { ownAct } = this.#language.facts;
    const at = ownAct === undefined ? -1 : this.#held.search(ownAct.begins);
    const passed = this.#held.slice(0, at < 0 ? this.#held.length : at);
    this.#held = this.#held.slice(passed.length);
    if (this.#held === "") return passed;
    const isDecided = this.#held.trim().split(/\s+/u).length > (ownAct?.words ?? 0);
    return passed + (isDecided ? this.end() : this.#release());
  }

  #release(): string {
    const ends = EXPLAINS.test(this.#sentence + this.#held) ? SENTENCE_END : this.#ends;
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
      if (ownAct?.report.test(clause) === true || (this.#mayEcho && echoes(clause, this.#lastWords, this.#language)))
        this.stop = "claim";
      return this.stop === undefined ? clause : "";
    }
    this.#sentence += clause;
    const named = this.#tools.find(({ name }) => name.includes("_") && this.#sentence.includes(name));
    const reported = this.#hasCalled
      ? undefined
      : reportedTool(this.#sentence, this.#lastWords, this.#tools, this.#language);
    if (named !== undefined || JARGON.some((pattern) => pattern.test(this.#sentence))) {
      this.stop = "jargon";
      this.meant = named?.name;
    } else if (!this.#hasCalled) {
      if (
        reported !== undefined ||
        this.#ignoresCorrection(clause) ||
        claims.some((claim) => this.#reports(claim, (verb) => this.#isFalse(verb)))
      )
        this.stop = "claim";
      this.isPromise = promises.some((promise) => this.#reports(promise, (verb) => this.#toolsOf(verb).length > 0));
      this.meant = this.#meant() ?? reported;
    } else if (this.#isWrong(clause)) this.stop = "wrong";
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

  /** "The timer for nine minutes has started." in answer to "no, nine minutes": no call has the new number. */
  #ignoresCorrection(clause: string): boolean {
    return (
      this.#called.size > 0 &&
      !clause.trimEnd().endsWith("?") &&
      this.#language.facts.corrects(this.#lastWords) &&
      this.#hasNewNumber([...this.#called.values()].join(" "))
    );
  }

  /** A report of the call has a number of the caller that the call does not have: "at six" of a table that was moved to eight. */
  #isWrong(clause: string): boolean {
    const values = [...this.#called.values()].join(" ");
    if (isOtherHalf(clause, values)) return true;
    const done = numbersIn(values);
    const others = this.#numbersOf(clause).filter((number) => !done.some((each) => isSame(each, number)));
    if (others.length === 0) return false;
    const said = new SaidWords(this.#words, this.#language);
    return others.some((number) => said.spells(number));
  }

  /** In digits and in words, from 2. */
  #numbersOf(text: string): readonly number[] {
    const spoken = new SaidWords([text], this.#language).numbers;
    return [...new Set([...numbersIn(text), ...spoken])].filter((number) => number > 1);
  }

  #hasNewNumber(done: string): boolean {
    const known = numbersIn(done);
    const others = this.#numbersOf(this.#sentence).filter((number) => !known.some((each) => isSame(each, number)));
    if (others.length === 0) return false;
    const said = new SaidWords([this.#lastWords], this.#language);
    return others.some((number) => said.hasNumber(number));
  }

  /** A verb such as "set" fits several tools. The sentence names one of them, or none. */
  #meant(): string | undefined {
    const { claims, promises } = this.#language.facts;
    if (this.#lastSetter !== undefined && this.#ignoresCorrection(this.#sentence)) return this.#lastSetter;
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

/** Verbs of tools that give something a state. A second booking would be one more. */
const SETS = /^(?:set|turn|switch|dim|adjust|change|update|move)$/u;
const LEAST_ECHO_WORDS = 3;

/** "Okay, set a timer for ten minutes." in answer to this order: the caller takes it for done. */
export const echoes = (text: string, order: string, language: Language): boolean =>
  !text.trimEnd().endsWith("?") &&
  echoedWords(text, language).length >= LEAST_ECHO_WORDS &&
  isEcho(text, order, language);

/** The text is the beginning of an echo. A question orders nothing. */
function isEcho(text: string, order: string, language: Language): boolean {
  if (order.trimEnd().endsWith("?") || language.facts.asks.test(order.trim())) return false;
  return ` ${plainWords(order).join(" ")} `.includes(` ${echoedWords(text, language).join(" ")}`);
}

/** Without the yes before them. */
function echoedWords(text: string, { facts }: Language): readonly string[] {
  const words = plainWords(text);
  const first = words.findIndex((word) => !facts.agrees(word));
  return first < 0 ? [] : words.slice(first);
}

const HALF_TIME = /\b(\d{1,2})(?::[0-5]\d)? ?([ap])\.?m\b/giu;
const CLOCK = /\b([01]\d|2[0-3]):[0-5]\d\b/gu;

/** "8 PM" of a call with 08:00. */
function isOtherHalf(clause: string, values: string): boolean {
  const hours = new Set(Array.from(values.matchAll(CLOCK), ([, hour]) => Number(hour)));
  return Array.from(clause.matchAll(HALF_TIME)).some(([, hour, half]) => {
    const told = (Number(hour) % 12) + (half?.toLowerCase() === "p" ? 12 : 0);
    return !hours.has(told) && hours.has((told + 12) % 24);
  });
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

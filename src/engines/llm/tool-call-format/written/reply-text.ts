import type { ToolDefinition } from "../../language-model.ts";
import type { Arguments } from "../call-syntax.ts";
import type { CallFault } from "./call-fault.ts";
import { beginningOf, escaped, readCalls } from "./call-forms.ts";
import { fitArguments } from "./fit-arguments.ts";
import type { WrittenCall } from "./json-calls.ts";
import { BRACKET_TAG, CLOSES, HEADER, meaningOf, OPEN_HEADER, TAG } from "./reply-tags.ts";
import { ToolNames } from "../tool-names.ts";

/** The longest text of one call. */
const MAX_CALL_CHARS = 16_384;
/** A close of a thought is no longer. */
const MAX_CLOSE_CHARS = 200;

const HEADER_BEGINS = new RegExp(OPEN_HEADER, "u");
/** A reply that begins with a function in Python is a call, whether the function exists or not. */
const FIRST_CALL = /^\s*\[?[A-Za-z][\w.]*\(/u;
/** A reply begins with a capital letter, and a function mostly does not. */
const FIRST_WORD = /^\s*(?:\[[A-Za-z]|[a-z])[\w.]*$/u;

/** A call of a tool that exists. */
export interface FoundCall {
  readonly tool: ToolDefinition;
  readonly args: Arguments;
}

export interface ReplyTextOptions {
  readonly tools: readonly ToolDefinition[];
  /** False: a call ends the reply. */
  readonly mayCall: boolean;
  /** Begins a call in the form of the model's template. */
  readonly opener?: string | undefined;
}

/**
 * Divides the text of a reply, as it comes, into words and calls in any of the written forms. Tags, thoughts and made-up results
 * are neither. Words after a call would guess its result, so they end the reply.
 */
export class ReplyText {
  readonly #options: ReplyTextOptions;
  readonly #names: ToolNames<ToolDefinition>;
  readonly #mark: RegExp;
  readonly #open: RegExp;
  #held = "";
  #state: "words" | "call" | "thought" | "result" = "words";
  #hasWords = false;
  #hasCalls = false;
  #isOver = false;
  #fault: CallFault | undefined;

  constructor(options: ReplyTextOptions) {
    this.#options = options;
    this.#names = new ToolNames(options.tools);
    const { mark, open } = marksOf(options);
    this.#mark = mark;
    this.#open = open;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get fault(): CallFault | undefined {
    return this.#fault;
  }

  /** The text of the call under way. Undefined outside a call. */
  get callText(): string | undefined {
    return this.#state === "call" ? this.#held : undefined;
  }

  push(text: string): (string | FoundCall)[] {
    if (this.#isOver) return [];
    this.#held += text;
    return this.#read(false);
  }

  /** The rest, when no more text comes. */
  end(): (string | FoundCall)[] {
    return this.#isOver ? [] : this.#read(true);
  }

  /** A call was written otherwise, up to its end. */
  called(): void {
    this.#hasCalls = true;
    this.#state = "call";
    this.#held = "";
  }

  #read(isWhole: boolean): (string | FoundCall)[] {
    const pieces: (string | FoundCall)[] = [];
    for (let before = -1; before !== this.#held.length && !this.#isOver;) {
      before = this.#held.length;
      if (this.#state === "call") pieces.push(...this.#calls(isWhole));
      else if (this.#state === "words") pieces.push(...this.#words(isWhole));
      else this.#skip(this.#state, isWhole);
    }
    return pieces;
  }

  #words(isWhole: boolean): string[] {
    const header = HEADER_BEGINS.exec(this.#held);
    const first = this.#readsFunctions ? FIRST_CALL.exec(this.#held) : null;
    const found = first ?? this.#mark.exec(this.#held);
    if (found === null || (header !== null && header.index <= found.index)) {
      const open = header ?? (this.#readsFunctions ? FIRST_WORD.exec(this.#held) : null) ?? this.#open.exec(this.#held);
      // A lone sign or a word at the end is not a cut mark.
      const isCut = open !== null && isWhole && /^(?:<.|\[[A-Z{]|\{|`{2})/u.test(open[0]);
      const certain = open === null || (isWhole && !isCut) ? this.#held.length : open.index;
      const words = this.#take(certain);
      if (isWhole) this.#held = "";
      return this.#begin(words);
    }
    const words = this.#take(found.index);
    this.#meet(found[0]);
    return this.#begin(words);
  }

  /** Drops the white space before the first word. */
  #begin(words: string): string[] {
    const kept = this.#hasWords ? words : words.trimStart();
    this.#hasWords ||= kept !== "";
    return kept === "" ? [] : [kept];
  }

  /** Only the first word of a reply with tools is held back for that. */
  get #readsFunctions(): boolean {
    return !this.#hasWords && this.#options.tools.length > 0;
  }

  #meet(mark: string): void {
    const meaning = this.#meaningOf(mark);
    if (meaning === "call") {
      this.#state = "call";
      if (!this.#options.mayCall) this.#isOver = true;
      return;
    }
    this.#take(mark.length);
    if (meaning === "end") this.#isOver = true;
    else if (meaning !== "none") this.#state = meaning;
  }

  #meaningOf(mark: string) {
    const { opener } = this.#options;
    if (opener !== undefined && mark === opener) return "call";
    if (mark.startsWith("```")) return "none";
    if (this.#names.find(mark.slice(1, -1)) !== undefined) return "call";
    if (new RegExp(`^${HEADER}$`, "u").test(mark)) {
      if (mark.includes("to=")) return "call";
      return mark.includes("analysis") ? "thought" : "none";
    }
    return new RegExp(`^(?:${TAG}|${BRACKET_TAG})$`, "u").test(mark) ? meaningOf(mark) : "call";
  }

  #calls(isWhole: boolean): FoundCall[] {
    const { calls, end, next } = readCalls(this.#held, (name) => this.#names.find(name) !== undefined, isWhole);
    this.#held = this.#held.slice(end);
    const found = calls.map((call) => this.#known(call)).filter((call) => call !== undefined);
    this.#hasCalls ||= found.length > 0;
    if (this.#fault !== undefined) return found;
    if (next === "other") this.#leave();
    else if (next === "cut" || this.#held.length > MAX_CALL_CHARS) this.#fail("cut");
    return found;
  }

  #known(call: WrittenCall): FoundCall | undefined {
    if (this.#fault !== undefined) return undefined;
    const tool = this.#names.find(call.name);
    if (tool === undefined) {
      this.#fail("unknown");
      return undefined;
    }
    return { tool, args: fitArguments(call, tool.parameters) };
  }

  /** Something else than a call follows. */
  #leave(): void {
    if (this.#hasCalls) this.#isOver = true;
    else this.#fail("unreadable");
  }

  #fail(fault: CallFault): void {
    this.#isOver = true;
    // Calls that were made are answered. The model reads their results.
    if (!this.#hasCalls) this.#fault = fault;
  }

  #skip(what: "thought" | "result", isWhole: boolean): void {
    const found = CLOSES[what].exec(this.#held);
    if (found !== null) {
      this.#take(found.index + found[0].length);
      this.#state = "words";
    } else this.#take(isWhole ? this.#held.length : Math.max(0, this.#held.length - MAX_CLOSE_CHARS));
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}

/** `mark`: what is not words. `open`: the end of a text that may become a mark. */
function marksOf({ tools, opener }: ReplyTextOptions): { readonly mark: RegExp; readonly open: RegExp } {
  const own = opener === undefined || opener === "" ? [] : [escaped(opener)];
  const tags = [...own, HEADER, TAG, BRACKET_TAG];
  const openTags = [
    ...(opener === undefined || opener === "" ? [] : [`${beginningOf(opener)}$`]),
    String.raw`<[\/|｜]{0,3}(?:[A-Za-z][^<>]{0,160})?$`,
    String.raw`\[\/?(?:[A-Z][A-Z_]*)?$`,
  ];
  if (tools.length === 0) return { mark: anyOf(tags), open: anyOf(openTags) };
  const names = [...tools.map(({ name }) => name), "print"];
  const calls = [
    String.raw`\{`,
    String.raw`\[\s*(?=\{)`,
    "```\\w*(?:\\n|(?=[^\\w\\n]))",
    String.raw`(?<![\w.])(?:functools\s*\[|Action:\s*(?=[\w\x60{[]))`,
    // A call in Python of a tool, or of a function that does not exist.
    String.raw`(?<![\w.])\[?(?:${names.map(escaped).join("|")})(?:\.call)?\(|\w*_\w+\(`,
    String.raw`(?<![\w.])(?:${tools.map(({ name }) => escaped(name)).join("|")})\s*(?=\{)`,
  ];
  const openCalls = [
    String.raw`\[\s*$`,
    "`{1,2}$|```\\w*$",
    ...["functools", "Action: "].map((word) => String.raw`(?<![\w.])${beginningOf(word)}\s*$`),
    ...names.map((name) => String.raw`(?<![\w.])\[?${beginningOf(name)}\s*$`),
    String.raw`\w*_\w*$`,
  ];
  return { mark: anyOf([...tags, ...calls]), open: anyOf([...openTags, ...openCalls]) };
}

const anyOf = (patterns: readonly string[]): RegExp => new RegExp(patterns.join("|"), "u");

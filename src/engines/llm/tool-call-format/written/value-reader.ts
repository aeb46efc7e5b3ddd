import { GEMMA_QUOTE } from "../argument-style.ts";

/** The text ends inside the value. More of it may come. */
export class TextEnds extends Error {}
/** The text holds something else. */
export class NotAValue extends Error {}

/** Weak models write brackets without end. */
const MAX_DEPTH = 24;
/** The delimiters of strings: JSON, Python, Gemma 4, FunctionGemma, and the quotation marks of a word processor. */
const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ["'", "'"],
  [GEMMA_QUOTE, GEMMA_QUOTE],
  ["<escape>", "<escape>"],
  ["“", "”"],
];
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, none: null };

/**
 * Reads values as models write them: JSON, literals of Python, keys with or without quotation marks, trailing commas and doubled
 * braces. Throws `TextEnds` or `NotAValue`.
 */
export class ValueReader {
  readonly #text: string;
  /** No more text comes, so brackets may stay open after a whole value. */
  readonly #isWhole: boolean;
  #at: number;
  #depth = 0;

  constructor(text: string, at: number, isWhole: boolean) {
    this.#text = text;
    this.#at = at;
    this.#isWhole = isWhole;
  }

  /** The place after the last value. */
  get at(): number {
    return this.#at;
  }

  value(): unknown {
    this.#skip();
    const quotes = QUOTES.find(([open]) => this.#text.startsWith(open, this.#at));
    if (quotes !== undefined) return this.#string(quotes);
    // The beginning of a quotation mark of several characters.
    if (QUOTES.some(([open]) => open.startsWith(this.#text.slice(this.#at)))) throw new TextEnds();
    if (this.#take("{")) return this.#nested(() => this.#object());
    if (this.#take("[")) return this.#nested(() => this.#array());
    return this.#word();
  }

  /** Pairs up to the closing sign, which is read too. A value without a name gets a number as its name. */
  pairs(close: string): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let place = 0; !this.#closes(close); place += 1) {
      const first = this.value();
      this.#skip();
      if (this.#take(":") || this.#take("=")) entries.push([String(first), this.value()]);
      else if (close === ")") entries.push([String(place), first]);
      else throw this.#unexpected();
      this.#next(close);
    }
    return Object.fromEntries(entries);
  }

  #object(): unknown {
    // A model that copies the braces of a template's source doubles them.
    const isDouble = /^\s*\{/u.test(this.#text.slice(this.#at));
    if (!isDouble) return this.pairs("}");
    const inner = this.value();
    this.#skip();
    this.#take("}");
    return inner;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    while (!this.#closes("]")) {
      items.push(this.value());
      this.#next("]");
    }
    return items;
  }

  #nested<Result>(read: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new NotAValue();
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #closes(close: string): boolean {
    this.#skip();
    return this.#take(close) || (this.#isWhole && this.#at >= this.#text.length);
  }

  /** Between two items. */
  #next(close: string): void {
    this.#skip();
    if (this.#take(",") || this.#text.startsWith(close, this.#at)) return;
    if (!(this.#isWhole && this.#at >= this.#text.length)) throw this.#unexpected();
  }

  #string([open, close]: readonly [string, string]): string {
    let read = "";
    for (let at = this.#at + open.length; at < this.#text.length; at += 1) {
      if (this.#text.startsWith(close, at)) {
        this.#at = at + close.length;
        return read;
      }
      const sign = this.#text.charAt(at);
      if (sign !== "\\" || open.length > 1) {
        read += sign;
        continue;
      }
      at += 1;
      const escaped = this.#text.charAt(at);
      const code = /^[0-9a-f]{4}/iu.exec(this.#text.slice(at + 1, at + 5))?.[0];
      if (escaped === "u" && code !== undefined) {
        read += String.fromCharCode(Number.parseInt(code, 16));
        at += 4;
      } else read += ESCAPES[escaped] ?? escaped;
    }
    throw new TextEnds();
  }

  /** A number, a word such as `true`, or a word without quotation marks. */
  #word(): unknown {
    const [word = ""] = /^[^\s,:=()[\]{}<>"']+/u.exec(this.#text.slice(this.#at)) ?? [];
    if (word === "") throw this.#unexpected();
    this.#at += word.length;
    // The end of a text may be the middle of a word.
    if (this.#at >= this.#text.length) throw new TextEnds();
    const known = WORDS[word.toLowerCase()];
    if (known !== undefined) return known;
    const number = Number(word);
    return Number.isFinite(number) ? number : word;
  }

  #skip(): void {
    while (/\s/u.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #unexpected(): Error {
    return this.#at >= this.#text.length ? new TextEnds() : new NotAValue();
  }
}

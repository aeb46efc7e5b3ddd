import type { Pieces } from "./pieces.ts";

/** Says which tokens may follow in a text that has only the words of a list, in any order and number. */
export class WordList {
  /** As given to the constructor. */
  readonly words: string;
  readonly #words: readonly string[];
  /** Tokens that are a part of such a text. */
  readonly #tokens: readonly number[];
  readonly #pieces: Pieces;

  /** `words`: lower case, with spaces between. */
  constructor(words: string, pieces: Pieces) {
    this.words = words;
    this.#words = words.split(" ");
    this.#pieces = pieces;
    this.#tokens = Array.from({ length: pieces.size }, (_, token) => token).filter((token) => this.#isPart(token));
  }

  /** Tokens with which the text goes on. `end` is among them when the text may end. */
  after(text: string, end: number): readonly number[] {
    const tokens = this.#tokens.filter((token) => this.#isBeginning(text + this.#pieces.bytesOf(token)));
    return this.#isWhole(text) ? [...tokens, end] : tokens;
  }

  #isPart(token: number): boolean {
    const part = this.#pieces.bytesOf(token).toLowerCase();
    return part === "," || part === "." || (/^ ?[a-z]+$/u.test(part) && ` ${this.words} `.includes(part));
  }

  #isBeginning(text: string): boolean {
    const words = wordsIn(text.replace(/\.$/u, ""));
    const last = words.pop() ?? "";
    if (/^[ ,.]*[,.]|,,|,\.|\../u.test(text) || !words.every((word) => this.#words.includes(word))) return false;
    return text.endsWith(".") ? this.#words.includes(last) : this.#words.some((word) => word.startsWith(last));
  }

  #isWhole(text: string): boolean {
    return this.#words.includes(wordsIn(text.replace(/\.$/u, "")).at(-1) ?? "");
  }
}

/** The last one is "" after a space or a comma. */
const wordsIn = (text: string): string[] => text.trimStart().toLowerCase().split(/[ ,]+/u);

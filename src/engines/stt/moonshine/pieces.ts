const WORD_BEGINS = "▁";

/** A SentencePiece vocabulary of byte pairs: tokens and texts. */
export class Pieces {
  /** Text of each token in latin1, one character a byte, because a token may hold a part of a character. */
  readonly #bytes: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #isLatin: readonly boolean[];
  /** Tokens of the single bytes, for characters that are not in the vocabulary. */
  readonly #firstByte: number;

  private constructor(bytes: readonly string[]) {
    this.#bytes = bytes;
    // The bytes come first in the table. A character of one byte has a token of its own behind them.
    this.#firstByte = bytes.indexOf("\0");
    this.#numbers = new Map(bytes.map((text, number) => [text, number]));
    this.#isLatin = bytes.map((text) => !NOT_LATIN.test(Buffer.from(text, "latin1").toString()));
  }

  /** `table`: a line for each token, its text in base64, a space, and its number. @throws Error for a damaged table. */
  static parse(table: string): Pieces {
    const bytes = table
      .trimEnd()
      .split("\n")
      .map((line, number) => {
        const [text = "", at] = line.split(" ");
        if (at !== String(number)) throw new Error(`line ${String(number + 1)} of its token table is damaged`);
        return Buffer.from(text, "base64").toString("latin1").replaceAll(MARK, " ");
      });
    return new Pieces(bytes);
  }

  get size(): number {
    return this.#bytes.length;
  }

  /** Latin1, one character a byte. Begins with a space where a word begins. */
  bytesOf(token: number): string {
    return this.#bytes[token] ?? "";
  }

  /** Whether a token holds whole characters, and no letters of another script. */
  isLatin(token: number): boolean {
    return this.#isLatin[token] ?? false;
  }

  /** Tokens of a text: the pair with the lowest number is joined first, as the vocabulary was made. */
  tokensOf(text: string): readonly number[] {
    const parts = Array.from(` ${text.trim()}`).flatMap((character) => {
      const bytes = Buffer.from(character).toString("latin1");
      return this.#numbers.has(bytes) ? [bytes] : Array.from(bytes);
    });
    for (;;) {
      let best = Infinity;
      let at = -1;
      for (let index = 0; index + 1 < parts.length; index++) {
        const number = this.#numbers.get(`${parts[index] ?? ""}${parts[index + 1] ?? ""}`) ?? Infinity;
        if (number >= best) continue;
        best = number;
        at = index;
      }
      if (at < 0) break;
      parts.splice(at, 2, `${parts[at] ?? ""}${parts[at + 1] ?? ""}`);
    }
    return parts.map((part) => this.#numbers.get(part) ?? this.#firstByte + part.charCodeAt(0));
  }
}

const NOT_LATIN = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]|\uFFFD/u;

const MARK = Buffer.from(WORD_BEGINS).toString("latin1");

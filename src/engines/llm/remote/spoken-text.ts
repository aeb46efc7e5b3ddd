import { cutLength, openLength } from "../call-marks.ts";

const THOUGHT = "<think>";
const THOUGHT_END = "</think>";

/** Takes thoughts out of a reply, and finds calls that are written as text. Holds back what may be the beginning of a mark. */
export class SpokenText {
  readonly #calls: readonly string[];
  readonly #marks: readonly string[];
  #held = "";
  #isThought = false;
  #hasCall = false;

  /** @param calls Beginnings of calls in the text of a model whose server was started without a parser for them. */
  constructor(calls: readonly string[]) {
    this.#calls = calls;
    this.#marks = [THOUGHT, THOUGHT_END, ...calls];
  }

  /** A call was written as text. Nothing is spoken from there on. */
  get hasCall(): boolean {
    return this.#hasCall;
  }

  /** The text that may be spoken now. */
  push(text: string): string {
    let spoken = "";
    this.#held += text;
    while (this.#held !== "" && !this.#hasCall) {
      const [at, mark] = firstOf(this.#held, this.#isThought ? [THOUGHT_END] : this.#marks);
      if (!this.#isThought) spoken += this.#held.slice(0, at);
      this.#held = this.#held.slice(at + (mark?.length ?? 0));
      if (mark === undefined) break;
      this.#isThought = mark === THOUGHT;
      this.#hasCall = this.#calls.includes(mark);
    }
    return spoken;
  }

  /** The rest, when no more text comes. */
  end(): string {
    const cut = cutLength(this.#held, this.#marks);
    const rest = this.#isThought || this.#hasCall ? "" : this.#held.slice(0, this.#held.length - cut);
    this.#held = "";
    return rest;
  }
}

/** The first mark and its place. Without one: the place of the beginning of a mark at the end of the text. */
function firstOf(text: string, marks: readonly string[]): readonly [at: number, mark: string | undefined] {
  const found = marks.map((mark) => [text.indexOf(mark), mark] as const).filter(([at]) => at >= 0);
  const [first] = found.toSorted(([one], [other]) => one - other);
  if (first !== undefined) return first;
  return [text.length - openLength(text, marks), undefined];
}

/** Beginnings of calls in the text of models whose server was started without a parser for them. */
const CALLS = [
  "<tool_call",
  "<|tool_call",
  "<function=",
  "<function_call",
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<｜tool",
];
const THOUGHT = "<think>";
const THOUGHT_END = "</think>";
const MARKS = [THOUGHT, THOUGHT_END, ...CALLS];

/** Takes thoughts out of a reply, and finds calls that are written as text. Holds back what may be the beginning of a mark. */
export class SpokenText {
  #held = "";
  #isThought = false;
  #hasCall = false;

  /** A call was written as text. Nothing is spoken from there on. */
  get hasCall(): boolean {
    return this.#hasCall;
  }

  /** The text that may be spoken now. */
  push(text: string): string {
    let spoken = "";
    this.#held += text;
    while (this.#held !== "" && !this.#hasCall) {
      const [at, mark] = firstOf(this.#held, this.#isThought ? [THOUGHT_END] : MARKS);
      if (!this.#isThought) spoken += this.#held.slice(0, at);
      this.#held = this.#held.slice(at + (mark?.length ?? 0));
      if (mark === undefined) break;
      this.#isThought = mark === THOUGHT;
      this.#hasCall = CALLS.includes(mark);
    }
    return spoken;
  }

  /** The rest, when no more text comes. */
  end(): string {
    const rest = this.#isThought || this.#hasCall ? "" : this.#held;
    this.#held = "";
    return rest;
  }
}

/** The first mark and its place. Without one: the place of the beginning of a mark at the end of the text. */
function firstOf(text: string, marks: readonly string[]): readonly [at: number, mark: string | undefined] {
  const found = marks.map((mark) => [text.indexOf(mark), mark] as const).filter(([at]) => at >= 0);
  const [first] = found.toSorted(([one], [other]) => one - other);
  if (first !== undefined) return first;
  const starts = marks.flatMap((mark) => {
    for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
      if (text.endsWith(mark.slice(0, length))) return [text.length - length];
    return [];
  });
  return [Math.min(text.length, ...starts), undefined];
}

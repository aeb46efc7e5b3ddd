/** An expression of a grammar, and how many ways there may be to read its text. */
export interface Written {
  readonly text: string;
  /** Each of its texts begins with one of these. */
  readonly begins: readonly string[];
  /** At most so many ways to read a text are open at once. llama.cpp follows each of them at every token. */
  readonly ways: number;
  /** Whether it contains a rule that is still being written, so that its ways may be without a limit. */
  readonly isOpen: boolean;
}

export const plain = (text: string, ...begins: readonly string[]): Written => ({
  text,
  begins,
  ways: 1,
  isOpen: false,
});

/**
 * One of several alternatives. Those that begin alike are read side by side, so their ways add up. With an open rule among them
 * they would multiply at each level, so that the ways are infinite.
 */
export function choice(all: readonly Written[]): Written {
  const alternatives = [...new Map(all.map((one) => [one.text, one])).values()];
  const beginnings = alternatives
    .flatMap((one) => one.begins.map((text) => ({ text, one })))
    .toSorted((left, right) => (left.text < right.text ? -1 : Number(left.text > right.text)));
  const begins: string[] = [];
  /** Beginnings of each other, the longest last. */
  let path: { readonly text: string; readonly one: Written }[] = [];
  let ways = 0;
  for (const beginning of beginnings) {
    path = path.filter(({ text }) => beginning.text.startsWith(text));
    if (path.length === 0) begins.push(beginning.text);
    path.push(beginning);
    const readers = new Set(path.map(({ one }) => one));
    ways = Math.max(ways, waysOf(readers));
    // A longer path needs no look.
    if (ways > MAX_WAYS) break;
  }
  return {
    text: alternatives.map(({ text }) => text).join(" | "),
    begins,
    ways,
    isOpen: alternatives.some(({ isOpen }) => isOpen),
  };
}

function waysOf(readers: ReadonlySet<Written>): number {
  let ways = 0;
  for (const { ways: more, isOpen } of readers) ways += isOpen && readers.size > 1 ? Infinity : more;
  return ways;
}

/** With a vocabulary of 150,000 tokens one way takes 3 ms of each token. */
export const MAX_WAYS = 16;

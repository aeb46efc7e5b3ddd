/** A letter or a dictated digit, or several of them in one item. */
export interface Atom {
  readonly kind: "letter" | "digit";
  /** Capital letters, digits, or "OH", which is a zero or the letter. */
  readonly text: string;
  /** Index of the first item, and of the last one ("B as in Boy" has four). */
  readonly first: number;
  readonly last: number;
  /** Its part of the item's time, 0 to 1. */
  readonly from: number;
  readonly to: number;
}

/** The items from `first` to `last` that are spelled. */
export interface Piece {
  readonly atoms: readonly Atom[];
  readonly first: number;
  readonly last: number;
  /** Marks before the first letter, and after the last one. */
  readonly before: string;
  readonly after: string;
  /** One item that spells: "S-T-O", "VQDB". A piece of this kind needs no others beside it. */
  readonly isWhole: boolean;
}

const MARKS = /^(["'“‘(]*)(.*?)([.,;:!?…"'”’)]*)$/su;
const DIGITS = new Map(
  ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].map((word, i) => [word, String(i)]),
);
const REPEATS = new Map([
  ["double", 2],
  ["triple", 3],
]);
const HYPHENATED = /^(?=.*[A-Za-z])(?:[A-Za-z]|\d+)(?:-(?:[A-Za-z]|\d+))+$|^\d(?:-\d)+$/u;
const DOTTED = /^[A-Za-z](?:\.[A-Za-z]){3,}$/u;
/** Shorter ones are mostly abbreviations, such as BBC. */
const CONSONANTS = /^[B-DF-HJ-NP-TV-XZ]{4,}$/u;

/** The piece that begins at an item, or undefined when the item is an ordinary word. */
export function pieceAt(words: readonly string[], first: number): Piece | undefined {
  const [, before = "", word = "", after = ""] = MARKS.exec(words[first] ?? "") ?? [];
  const piece = (texts: readonly string[], last = first, isWhole = false, end = after): Piece => ({
    atoms: atomsOf(texts, first, last),
    first,
    last,
    before,
    after: end,
    isWhole,
  });
  const spelled = (texts: readonly string[], isWhole: boolean): Piece => {
    const end = after === "" ? explanationEnd(words, first + 1, texts.at(-1) ?? "") : undefined;
    return end === undefined ? piece(texts, first, isWhole) : piece(texts, first + 3, true, end);
  };
  if (/^[A-Za-z]$/u.test(word)) return spelled([word], false);
  const digit = digitOf(word);
  if (digit !== undefined) return piece([digit]);
  // "double VQDB" may be two of the first letter.
  if (REPEATS.has((words[first - 1] ?? "").toLowerCase())) return undefined;
  const times = after === "" ? REPEATS.get(word.toLowerCase()) : undefined;
  if (times !== undefined) {
    const [, , next = "", end = ""] = MARKS.exec(words[first + 1] ?? "") ?? [];
    const single = digitOf(next) ?? (/^[A-Za-z]$/u.test(next) ? next : undefined);
    if (single === undefined) return undefined;
    const isW = times === 2 && single.toLowerCase() === "u";
    return piece(isW ? ["W"] : Array.from({ length: times }, () => single), first + 1, false, end);
  }
  if (HYPHENATED.test(word)) {
    const texts = word.split("-");
    return spelled(texts, texts.length > 2);
  }
  if (DOTTED.test(word)) return spelled(word.split("."), true);
  if (CONSONANTS.test(word)) return spelled(Array.from(word), true);
  return undefined;
}

/** The marks after "as in Boy", which explains the letter B. Undefined: the words at this index do not explain it. */
function explanationEnd(words: readonly string[], at: number, letter: string): string | undefined {
  const [, , example = "", end = ""] = MARKS.exec(words[at + 2] ?? "") ?? [];
  const isExplained =
    `${words[at] ?? ""} ${words[at + 1] ?? ""}`.toLowerCase() === "as in" &&
    example.length > 1 &&
    example[0]?.toLowerCase() === letter.toLowerCase();
  return isExplained ? end : undefined;
}

const digitOf = (word: string): string | undefined =>
  /^\d$/u.test(word) ? word : /^oh$/iu.test(word) ? "OH" : DIGITS.get(word.toLowerCase());

function atomsOf(texts: readonly string[], first: number, last: number): readonly Atom[] {
  return texts.map((text, index) => ({
    kind: /^(?:\d+|OH)$/u.test(text) ? "digit" : "letter",
    text: text.toUpperCase(),
    first,
    last,
    from: index / texts.length,
    to: (index + 1) / texts.length,
  }));
}

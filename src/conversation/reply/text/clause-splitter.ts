import { keepsDot as keepsEnglishDot } from "../../../language/packs/en/kept-dots.ts";
import { title } from "../../../language/packs/en/spoken-words.ts";

/** A part of a reply that can be spoken on its own. */
export interface Clause {
  readonly text: string;
  /** Where it lies in the reply: UTF-16 offsets, end exclusive. */
  readonly start: number;
  readonly end: number;
}

interface Limits {
  readonly minChars: number;
  readonly minWords: number;
  readonly maxWords: number;
  readonly maxChars: number;
  /** Whether a comma, semicolon, colon or dash ends a piece, not only a sentence's end. */
  readonly atClauses: boolean;
}

/** How short a piece may be. "clauses": a comma may end it. "words": a few words are enough. */
export type Hurry = "none" | "clauses" | "words";

/** The first piece is short, because speech starts with it. Later pieces are whole sentences, which sound better. */
const firstPiece: Limits = { minChars: 10, minWords: 2, maxWords: 24, maxChars: 200, atClauses: true };
const laterPiece: Limits = { minChars: 2, minWords: 1, maxWords: 40, maxChars: 320, atClauses: false };
const fewWords: Limits = { ...firstPiece, maxWords: 6 };

/** Minimum length in characters for a script without spaces. */
const minWide = 5;
const wide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu;

/** Punctuation that may end a piece, with the quotes and brackets that close after it. */
const mark = /[.!?…。！？।؟]+["'”’)\]*_」』）]*|[,;:；：，、؛،]["'”’)\]*_」』）]*|[—–]|\n/g;
/** Marks that end a piece without white space after them. */
const fullWidth = /[。！？；：，、]/;
/** Abbreviations that end a sentence only when a capital letter follows. */
const mayEnd =
  /(?:^|[\s("'“‘\d])(?:[AaPp]\.[Mm]|etc|Inc|Ltd|Co|Corp|Jr|Sr|Ave|Rd|Blvd|Dept|ext|Mon|Tues?|Wed|Thu|Thurs|Fri|Sat|Sun|min|ft|lbs?|hrs?|(?:\p{Lu}\.)+\p{Lu})$/u;
const isTitle = new RegExp(`${title}$`, "u");
const listNumber = /(?:^|\n)\s*\d{1,3}$/;

/**
 * Cuts a reply into pieces to speak while it is still being written. Waits for the character after a mark, so that
 * "3.5", "7:30", "1,200" and "Dr. No" stay whole. The pieces put together are the text that was pushed.
 */
export class ClauseSplitter {
  #buffer = "";
  #start = 0;
  #limits = firstPiece;
  readonly #keepsDot: (before: string) => boolean;

  /** `keepsDot`: the full stop after this text does not end a sentence. */
  constructor(keepsDot = keepsEnglishDot) {
    this.#keepsDot = keepsDot;
  }

  /** `hurry`: pieces may be shorter than usual, because the voice would have to wait for longer ones. */
  push(text: string, hurry: Hurry = "none"): Clause[] {
    this.#buffer += text;
    return this.#take(false, hurry);
  }

  /** The rest, when the reply is complete. */
  flush(): Clause[] {
    const clauses = this.#take(true, "none");
    if (this.#buffer !== "") clauses.push(this.#cut(this.#buffer.length));
    return clauses;
  }

  #take(complete: boolean, hurry: Hurry): Clause[] {
    const clauses: Clause[] = [];
    for (;;) {
      const limits = hurry === "none" ? this.#limits : hurry === "clauses" ? firstPiece : fewWords;
      const end = findEnd(this.#buffer, limits, complete, this.#keepsDot);
      if (end === undefined) return clauses;
      clauses.push(this.#cut(end));
    }
  }

  #cut(length: number): Clause {
    const text = this.#buffer.slice(0, length);
    const clause = { text, start: this.#start, end: this.#start + length };
    this.#buffer = this.#buffer.slice(length);
    this.#start += length;
    if (/\S/.test(text)) this.#limits = laterPiece;
    return clause;
  }
}

/** The whole sentences of a text that is still being written; undefined when there is none. */
export function wholeSentences(text: string, keepsDot: (before: string) => boolean): string | undefined {
  const ends = [...text.matchAll(mark)].map((match) => [match.index, match.index + match[0].length] as const);
  const last = ends.findLast(([index, end]) => classify(text, index, end, false, keepsDot) === "sentence");
  return last && text.slice(0, last[1]);
}

/** End of the first piece in the buffer; undefined when more text is needed. */
function findEnd(
  buffer: string,
  limits: Limits,
  complete: boolean,
  keepsDot: (before: string) => boolean,
): number | undefined {
  // Enough for the longest piece and the text that follows it.
  const text = buffer.slice(0, limits.maxChars + 40);
  const whole = complete && text.length === buffer.length;
  let clauseEnd: number | undefined;
  for (const match of text.matchAll(mark)) {
    const end = match.index + match[0].length;
    if (end > limits.maxChars) break;
    const kind = classify(text, match.index, end, whole, keepsDot);
    if (kind === "none") continue;
    const piece = text.slice(0, end).trim();
    const words = countWords(piece);
    if (words > limits.maxWords) break;
    if (kind === "unknown") return undefined;
    const isShort = piece.length < limits.minChars || words < limits.minWords;
    if (isShort && (piece.match(wide)?.length ?? 0) < minWide) continue;
    if (kind === "sentence" || limits.atClauses) return end;
    clauseEnd = end;
  }
  return isTooLong(text, limits) ? (clauseEnd ?? forcedEnd(text, limits, keepsDot)) : undefined;
}

function classify(
  text: string,
  index: number,
  end: number,
  complete: boolean,
  keepsDot: (before: string) => boolean,
): "sentence" | "clause" | "none" | "unknown" {
  const sign = text.charAt(index);
  if (sign === "\n") return "sentence";
  const next = text.charAt(end);
  if (next === "" && !complete) return "unknown";
  const before = text.slice(Math.max(0, index - 24), index);
  const isDash = sign === "—" || sign === "–";
  if (!isDash && !fullWidth.test(sign) && next !== "" && !/\s/.test(next)) return "none";
  const following = text.slice(end).trimStart().charAt(0);
  if (isDash || /[,;:；：，、؛،]/.test(sign)) {
    if (!/\d\s*$/.test(before)) return "clause";
    // "Nov 3, 2026", "5 – 7"
    if (following === "" && !complete) return "unknown";
    return /\d/.test(following) ? "none" : "clause";
  }
  if (sign !== "." || text.charAt(index + 1) === ".") return "sentence";
  if (mayEnd.test(before) && !isTitle.test(before)) {
    if (following === "") return complete ? "sentence" : "unknown";
    return /\p{Lu}/u.test(following) ? "sentence" : "none";
  }
  return keepsDot(before) || listNumber.test(text.slice(0, index)) ? "none" : "sentence";
}

function isTooLong(text: string, limits: Limits): boolean {
  return text.length > limits.maxChars || countWords(text) > limits.maxWords;
}

/** The last space before the limit that does not separate a number from its unit or month, or any space, or the limit. */
function forcedEnd(text: string, limits: Limits, keepsDot: (before: string) => boolean): number {
  let anySpace: number | undefined;
  let safeSpace: number | undefined;
  let words = 0;
  for (const match of text.matchAll(/\S+(?=\s)/g)) {
    words += 1;
    const end = match.index + match[0].length;
    if (end > limits.maxChars || words > limits.maxWords) break;
    anySpace = end;
    const following = text.slice(end).trimStart().slice(0, 1);
    if (!/\d/.test(match[0]) && !/[\d$€£¥]/.test(following) && !keepsDot(match[0].replace(/\.$/, ""))) safeSpace = end;
  }
  const end = safeSpace ?? anySpace;
  if (end !== undefined) return end;
  // Not between the two halves of a character.
  return /[\uD800-\uDBFF]/.test(text.charAt(limits.maxChars - 1)) ? limits.maxChars - 1 : limits.maxChars;
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

import { tokensOf } from "./words.ts";

/** How a recogniser with punctuation ends a sentence that breaks off. */
const BROKEN_OFF = /(?:,|-|\.\.\.|…)$/u;
/** Bounds the time that the patterns take. */
const LONGEST_TEXT = 200;

/** Words and patterns of a language in which no sentence ends. All are lower case. */
export interface OpenEnds {
  /** Words that cannot end a sentence: articles, conjunctions, most prepositions. */
  readonly words: string;
  /** Patterns of the last words: "can you", "my name is". */
  readonly phrases: readonly string[];
  /** Patterns of the last words that are complete although they end in one of these. They win. */
  readonly complete: readonly string[];
}

/**
 * A function that says whether more words must follow. A full stop after an open word changes nothing, because recognisers write
 * one after every pause. An abbreviation in capitals ("plan A") is complete.
 */
export function unfinishedBy({ words, phrases, complete }: OpenEnds): (text: string) => boolean {
  // An apostrophe may stand before: "l'adresse est", "d'un".
  const ending = (sources: readonly string[]) => new RegExp(`(?<![\\p{L}\\p{N}-])(?:${sources.join("|")})$`, "u");
  const open = ending([words.trim().split(/\s+/).join("|"), ...phrases]);
  const whole = ending(["(?!)", ...complete]);
  return (text) => {
    const trimmed = text.trim().slice(-LONGEST_TEXT);
    const sentence = trimmed.split(/(?<=\p{L}[.?!])\s+/u).at(-1) ?? "";
    const tokens = tokensOf(sentence, true);
    const clause = tokens.join(" ").toLowerCase();
    if (tokens.length > 1 && /^\p{Lu}{1,4}$/u.test(tokens.at(-1) ?? "") && /\p{Ll}/u.test(sentence)) return false;
    return BROKEN_OFF.test(trimmed) || (open.test(clause) && !whole.test(clause));
  };
}

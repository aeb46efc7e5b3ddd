import { wordsOf } from "../../words.ts";
import { englishEnding } from "./english.ts";

/** English words that begin a sentence and are not one. */
const OPENINGS = new Set("actually can could did does i i'd i'll i'm i've should so we well would".split(" "));
/** How a recogniser with punctuation ends a sentence that breaks off. */
const BROKEN_OFF = /(?:,|-|\.\.\.|…)$/;

/** True when more words must follow. `SentenceEnds` gives odds for all other words. */
export function soundsUnfinished(text: string): boolean {
  const trimmed = text.trim();
  const words = wordsOf(trimmed);
  const last = words.at(-1) ?? "";
  return englishEnding(text) === "open" || (words.length === 1 && OPENINGS.has(last)) || BROKEN_OFF.test(trimmed);
}

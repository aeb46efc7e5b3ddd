import { englishEnding } from "./english.ts";

/** Words that are not all by themselves, whatever they may end. */
const OPENINGS = new Set("actually can could did does i i'd i'll i'm i've should so we well would".split(" "));
/** What a recogniser that knows punctuation writes where a sentence breaks off. */
const BROKEN_OFF = /(?:,|-|\.\.\.|…)$/;

/** True when the words so far cannot be all. What else they tell is a matter of degree: src/endpoint/sentence-ends.ts. */
export function soundsUnfinished(text: string): boolean {
  const trimmed = text.trim();
  const words = trimmed.toLowerCase().match(/[a-z0-9']+/g) ?? [];
  const last = words.at(-1) ?? "";
  return englishEnding(text) === "open" || (words.length === 1 && OPENINGS.has(last)) || BROKEN_OFF.test(trimmed);
}

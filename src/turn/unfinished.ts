/** Words that no English sentence ends in: after one, a pause is thinking, not waiting for an answer. */
const OPEN_WORDS = new Set("a an and because but er if my of or our the their uh um your".split(" "));
/** Words that are not all by themselves, whatever they may end. */
const OPENINGS = new Set("actually can could i i'd i'll i'm i've so we well would".split(" "));
/** What a recogniser that knows punctuation writes where a sentence breaks off. */
const BROKEN_OFF = /(?:,|-|\.\.\.|…)$/;

/** True when the words so far cannot be all. What else they tell is a matter of degree: src/endpoint/sentence-ends.ts. */
export function soundsUnfinished(text: string): boolean {
  const trimmed = text.trim();
  const words = trimmed.toLowerCase().match(/[a-z0-9']+/g) ?? [];
  const last = words.at(-1) ?? "";
  return OPEN_WORDS.has(last) || (words.length === 1 && OPENINGS.has(last)) || BROKEN_OFF.test(trimmed);
}

import { z } from "zod";
import { wordsOf } from "../../words.ts";
import { englishEnding, type Ending } from "./english.ts";

/** `turn-words.json`, made by scripts/train/turn/words.py. */
export const sentenceEndsSchema = z.object({
  bias: z.number(),
  /** Words that are one word here, as digits are. */
  numbers: z.array(z.string()),
  weights: z.record(z.string(), z.number()),
});

/** Words of an answer that may be all of it. A single word may be all of any turn, and a complete phrase is. */
const ANSWER_WORDS = 3;
const LEAST_COMPLETE = 0;
const LEAST_WORD = -1;
const LEAST = -2.5;
const MOST = 2;

/** Log odds that a turn may end after these words, by the words alone. */
export class SentenceEnds {
  readonly #bias: number;
  readonly #numbers: ReadonlySet<string>;
  readonly #weights: ReadonlyMap<string, number>;

  constructor({ bias, numbers, weights }: z.output<typeof sentenceEndsSchema>) {
    this.#bias = bias;
    this.#numbers = new Set(numbers);
    this.#weights = new Map(Object.entries(weights));
  }

  /** -2.5 to 2; 0 without words. `isAnswer`: they follow a question. */
  odds(text: string, isAnswer: boolean): number {
    const words = this.#wordsOf(text);
    if (words.length === 0) return 0;
    const sum = features(words).reduce((odds, name) => odds + (this.#weights.get(name) ?? 0), this.#bias);
    return Math.min(MOST, Math.max(leastOf(englishEnding(text), words.length, isAnswer), sum));
  }

  #wordsOf(text: string): string[] {
    return wordsOf(text).map((word) => (this.#numbers.has(word) || /^[0-9]/.test(word) ? "#" : word));
  }
}

function leastOf(ending: Ending, count: number, isAnswer: boolean): number {
  if (ending === "whole" || (isAnswer && count <= ANSWER_WORDS)) return LEAST_COMPLETE;
  return count === 1 ? LEAST_WORD : LEAST;
}

/** Features of the words' end, beginning and number, with the names of words.py. */
function features(words: readonly string[]): string[] {
  const first = words[0] ?? "";
  const count = Math.min(words.length, 6);
  const found = [`n${String(count)}`, `1 ${words.at(-1) ?? ""}`, `f ${first}`];
  if (words.length > 1) found.push(`2 ${words.slice(-2).join(" ")}`, `g ${words.slice(0, 2).join(" ")}`);
  if (words.length > 2) found.push(`3 ${words.slice(-3).join(" ")}`);
  if (words.length <= 6) found.push(`f${String(count)} ${first}`);
  return found;
}

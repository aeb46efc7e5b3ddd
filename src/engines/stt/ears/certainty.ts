import type { Evidence, Heard } from "../decoded.ts";
import type { ChosenWord } from "./choose-text.ts";

// All numbers here were fitted on people and on sounds without speech (docs/decisions/0089-two-ears.md).

/** Log-probability of the fast ear's first token below which a sound is probably not speech. */
const MIN_FIRST_LOG_PROBABILITY = -1.5;

/** True when the fast ear was unsure how to begin. */
export const isUnsureOfSpeech = ({ firstLogProbability }: Pick<Evidence, "firstLogProbability">): boolean =>
  firstLogProbability < MIN_FIRST_LOG_PROBABILITY;

const SURE = { logProbability: -0.08, firstLogProbability: -0.7, words: 3 };

const FAIRLY_SURE = { logProbability: -0.2, firstLogProbability: -1, words: 2 };
/** A likely answer may be a single word. */
const FAIRLY_SURE_ANSWER = { ...FAIRLY_SURE, words: 1 };

const isAtLeast = (
  { words, evidence }: Pick<Heard, "words" | "evidence">,
  least: { readonly logProbability: number; readonly firstLogProbability: number; readonly words: number },
): boolean =>
  words.length >= least.words &&
  evidence.logProbability > least.logProbability &&
  evidence.firstLogProbability > least.firstLogProbability;

/** The fast ear's words are used when the sure ear has other work. */
export const isFairlySure = (heard: Pick<Heard, "words" | "evidence">, isLikelyAnswer: boolean): boolean =>
  isAtLeast(heard, isLikelyAnswer ? FAIRLY_SURE_ANSWER : FAIRLY_SURE);

/** The fast ear's words are used when the sure ear has more work than it can do in time. */
export const isPlausible = ({ words, evidence }: Pick<Heard, "words" | "evidence">): boolean =>
  words.length >= FAIRLY_SURE.words && !isUnsureOfSpeech(evidence);

/** True when the fast ear alone is nearly as good as both: 23 wrong words instead of 20 in 1,402. */
export const isSure = (heard: Pick<Heard, "words" | "evidence">): boolean => isAtLeast(heard, SURE);

/** The evidence of both ears for a sound, beside the texts. */
export interface Impressions {
  readonly fast: Pick<Evidence, "firstLogProbability" | "tokens">;
  readonly sure: Pick<Evidence, "firstLogProbability" | "tokens">;
  /** How alike their texts are, letter by letter: 0 to 1. */
  readonly likeness: number;
}

/** Odds that a sound is speech, as a natural logarithm: both ears are sure how to begin, and write alike. */
export const speechOdds = ({ fast, sure, likeness }: Impressions): number =>
  6.5 + 1.7 * beginningOf(fast) + 2.3 * beginningOf(sure) + 2.8 * likeness;

/** An ear that wrote nothing heard no speech. */
const NOTHING_WRITTEN = -5;
const beginningOf = ({ firstLogProbability, tokens }: Impressions["fast"]): number =>
  tokens === 0 ? NOTHING_WRITTEN : Math.max(-8, firstLogProbability);

/** Odds below which a sound is not speech, and below which it is doubtful. */
const NOT_SPEECH = 1.5;
const DOUBTFUL = 2.5;
/** A number is written for so few sounds that it may be less likely. */
const NOT_A_NUMBER = -3;

export interface Verdict {
  readonly isSpeech: boolean;
  readonly isDoubtful: boolean;
}

/** `isNumber`: the chosen text is a likely answer that is a number. `isExpected`: it was asked for. */
export function verdictOn(odds: number, isNumber: boolean, isExpected: boolean): Verdict {
  const isSpeech = odds >= (isNumber ? NOT_A_NUMBER : NOT_SPEECH);
  return { isSpeech, isDoubtful: isSpeech && odds < DOUBTFUL && !isExpected };
}

/** Probability that a word is right. */
export function confidenceOf({ isAgreed, logProbability }: ChosenWord): number {
  const odds = 0.9 + 0.34 * Math.max(-8, logProbability) + (isAgreed ? 2.36 : 0);
  return 1 / (1 + Math.exp(-odds));
}

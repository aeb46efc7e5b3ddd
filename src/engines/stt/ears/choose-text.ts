import { mixed, passagesOf, type Passage } from "./differences.ts";
import { isOneWord, type LikelyAnswer } from "./likely-answers.ts";
import { logProbabilityOf, wordScores, type ScoredText } from "./scored-text.ts";

/** A text for a clip, with the scores of both ears. */
export interface Candidate {
  readonly text: string;
  readonly fast: ScoredText;
  readonly sure: ScoredText;
}

/** One word of the chosen text. */
export interface ChosenWord {
  readonly word: string;
  /** It is number `at` of `of` words that stand where the fast ear wrote the `count` words from `first` on. */
  readonly place: { readonly first: number; readonly count: number; readonly at: number; readonly of: number };
  /** Both ears wrote it at this place. */
  readonly isAgreed: boolean;
  /** Mean of both ears' log-probabilities. */
  readonly logProbability: number;
}

export interface ChosenText {
  readonly words: readonly ChosenWord[];
  /** The likely answer that it is. */
  readonly answer: string | undefined;
}

/** Share of the fast ear in a text's score (docs/decisions/0089-two-ears.md). */
const FAST_SHARE = 0.5;
const mean = (fast: number, sure: number): number => FAST_SHARE * fast + (1 - FAST_SHARE) * sure;
/** More places at which the ears differ would cost too many scores. */
const MOST_VARIANTS = 6;

/** How likely a text is for both ears, as a natural logarithm. A text without scores is impossible. */
const scoreOf = (candidate: Candidate | undefined): number =>
  candidate === undefined ? -Infinity : mean(logProbabilityOf(candidate.fast), logProbabilityOf(candidate.sure));

/** Texts of a clip between which both ears choose, beside the likely answers. */
export interface Readings {
  readonly sure: string;
  readonly fast: string;
  readonly passages: readonly Passage[];
  /** The sure ear's text with one passage of the fast ear's, by the passage's index. */
  readonly variants: ReadonlyMap<number, string>;
}

/** The texts that both ears wrote, and those between them. */
export function readingsOf(sure: string, fast: string): Readings {
  const passages = passagesOf(sure, fast);
  const differing = passages.flatMap(({ isSame }, index) => (isSame ? [] : [index]));
  const variants =
    differing.length > MOST_VARIANTS
      ? []
      : differing.map((index) => [index, mixed(passages, (at) => at === index)] as const);
  return { sure, fast, passages, variants: new Map(variants) };
}

/** All texts to score, the sure ear's first. */
export const textsOf = ({ sure, fast, variants }: Readings): readonly string[] =>
  [...new Set([sure, fast, ...variants.values()])].filter((text) => text !== "");

/** Texts beside those of the ears that callers are likely to say. */
export interface Expected {
  /** They stand for the whole text when an ear wrote one word. */
  readonly answers: readonly LikelyAnswer[];
  /** Texts with a configured phrase. */
  readonly phrases: readonly LikelyAnswer[];
}

/**
 * The likeliest text: the sure ear's with those passages of the fast ear's that both ears together find likelier, or an expected
 * one. `candidates`: by their texts.
 */
export function chooseText(
  readings: Readings,
  candidates: ReadonlyMap<string, Candidate>,
  { answers, phrases }: Expected,
): ChosenText {
  const base = candidates.get(readings.sure);
  const isBetter = (text: string | undefined) => {
    const candidate = text === undefined ? undefined : candidates.get(text);
    return candidate !== undefined && (base === undefined || scoreOf(candidate) > scoreOf(base));
  };
  const takesAll = readings.variants.size === 0 && isBetter(readings.fast);
  const isFast = (index: number) => takesAll || isBetter(readings.variants.get(index));
  const written = writtenScore(readings, candidates, takesAll);
  const isShort = isOneWord(readings.sure) || isOneWord(readings.fast);
  const answer = bestAnswer(candidates, isShort ? [...answers, ...phrases] : phrases);
  return answer !== undefined && answer.score > written
    ? { words: wordsOfAnswer(answer.candidate, readings), answer: answer.candidate.text }
    : { words: wordsOfMixture(readings, candidates, isFast), answer: undefined };
}

/** Score of the sure ear's text with the gains of the fast ear's passages, or of the fast ear's text when that is all. */
function writtenScore(
  { sure, fast, variants }: Readings,
  candidates: ReadonlyMap<string, Candidate>,
  takesAll: boolean,
) {
  const base = scoreOf(candidates.get(sure));
  if (takesAll || base === -Infinity) return scoreOf(candidates.get(fast));
  const gains = [...variants.values()].map((text) => Math.max(0, scoreOf(candidates.get(text)) - base));
  return gains.reduce((sum, gain) => sum + gain, base);
}

function bestAnswer(candidates: ReadonlyMap<string, Candidate>, answers: readonly LikelyAnswer[]) {
  const scored = answers.flatMap(({ writings: [text = "", ...others], advantage }) => {
    const candidate = candidates.get(text);
    if (candidate === undefined) return [];
    const written = [candidate, ...others.flatMap((other) => candidates.get(other) ?? [])];
    const inAnyWriting = (ear: "fast" | "sure") => logSum(written.map((each) => logProbabilityOf(each[ear])));
    return [{ candidate, score: mean(inAnyWriting("fast"), inAnyWriting("sure")) + advantage }];
  });
  return scored.toSorted((one, other) => other.score - one.score)[0];
}

/** Logarithm of the sum of probabilities. */
function logSum(logProbabilities: readonly number[]): number {
  const most = Math.max(...logProbabilities);
  if (most === -Infinity) return most;
  return most + Math.log(logProbabilities.reduce((sum, each) => sum + Math.exp(each - most), 0));
}

function wordsOfAnswer(candidate: Candidate, { passages }: Readings): readonly ChosenWord[] {
  const scores = meanScores(candidate);
  const count = passages.reduce((sum, { second }) => sum + second.length, 0);
  return candidate.text.split(" ").map((word, at, { length }) => ({
    word,
    place: { first: 0, count, at, of: length },
    isAgreed: false,
    logProbability: scores[at] ?? 0,
  }));
}

function wordsOfMixture(
  { sure, passages, variants, fast }: Readings,
  candidates: ReadonlyMap<string, Candidate>,
  isFast: (index: number) => boolean,
): readonly ChosenWord[] {
  const scoresOf = (text: string | undefined) => meanScores(text === undefined ? undefined : candidates.get(text));
  const base = scoresOf(sure);
  let [inSure, inFast] = [0, 0];
  return passages.flatMap(({ first, second, isSame }, passage) => {
    const takesFast = !isSame && isFast(passage);
    // A variant has the sure ear's words before its passage. The fast ear's whole text has its own.
    const variant = variants.get(passage);
    const scores = !takesFast ? base : scoresOf(variant ?? fast);
    const from = takesFast && variant === undefined ? inFast : inSure;
    const place = { first: inFast, count: second.length };
    const words = (takesFast ? second : first).map((word, at, { length }): ChosenWord => ({
      word,
      place: { ...place, at, of: length },
      isAgreed: isSame,
      logProbability: scores[from + at] ?? 0,
    }));
    inSure += first.length;
    inFast += second.length;
    return words;
  });
}

/** By the words of the text. */
function meanScores(candidate: Candidate | undefined): readonly number[] {
  if (candidate === undefined) return [];
  const sure = wordScores(candidate.sure);
  return wordScores(candidate.fast).map((fast, index) => mean(fast, sure[index] ?? fast));
}

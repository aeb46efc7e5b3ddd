import type { LanguageScores } from "../../engines/stt/speech-to-text.ts";

/** The caller's language and the evidence for it. Plain data. */
export interface LanguageChoice {
  /** The language in force. */
  readonly language: string;
  /** "none": the first language stands. "guess": one is likely. "clear": one was heard, and the recogniser is not asked in vain again. */
  readonly evidence: "none" | "guess" | "clear";
  /** Sums of log probabilities over earlier turns, by language. */
  readonly earlier: LogScores;
  /** The newest answer of the newest turn. A longer clip of a turn replaces a shorter one. */
  readonly newest: { readonly turn: number; readonly logs: LogScores } | undefined;
}

type LogScores = Readonly<Record<string, number>>;

/** The recogniser's answer about the first seconds of a turn. */
export interface LanguageAnswer {
  readonly turn: number;
  readonly scores: LanguageScores;
  /** Time from the turn's first voice to the end of the clip. */
  readonly spokenMs: number;
  /** The clip has the whole turn, or the longest clip that the recogniser uses. */
  readonly isWhole: boolean;
}

/** Measured on people and synthetic voices: docs/decisions/0088-language-by-ear.md. */
const LIKELY = 0.7;
const CLEAR = 0.9;
/** A decided language changes only for this, heard over a whole turn of `SWITCH_MS`. */
export const SWITCH = 0.95;
export const SWITCH_MS = 2_000;
/** An answer about a shorter clip decides nothing. */
const CLEAR_MS = 1_000;
/** Below this share of all languages, the caller speaks none of the candidates. */
const LEAST_SHARE = 0.1;
/** Limits the effect of one answer beside many. */
const LEAST_PROBABILITY = 1e-3;

export const firstChoice = (language: string): LanguageChoice => ({
  language,
  evidence: "none",
  earlier: {},
  newest: undefined,
});

/**
 * The choice after an answer. `candidates` undefined: any language. Evidence of several turns adds up until one language is clear.
 * Before that a guess is made once at most, so that the language does not go back and forth.
 */
export function hear(
  choice: LanguageChoice,
  { turn, scores, spokenMs, isWhole }: LanguageAnswer,
  candidates: readonly string[] | undefined,
): LanguageChoice {
  const logs = logScores(scores, candidates);
  if (logs === undefined) return choice;
  if (choice.evidence === "clear") {
    const language = isWhole && spokenMs >= SWITCH_MS ? otherThan(choice.language, logs) : undefined;
    return language === undefined ? choice : { ...firstChoice(language), evidence: "clear" };
  }
  const earlier = choice.newest?.turn === turn ? choice.earlier : evidenceOf(choice);
  const [language, probability] = likeliest(sum(earlier, logs));
  const heard = { earlier, newest: { turn, logs } };
  if (probability >= CLEAR && spokenMs >= CLEAR_MS) return { ...heard, language, evidence: "clear" };
  return probability >= LIKELY && choice.evidence === "none"
    ? { ...heard, language, evidence: "guess" }
    : { ...choice, ...heard };
}

/** True when the answer speaks clearly for another language than the one in force. */
export function contradicts(
  { language }: LanguageChoice,
  { scores }: Pick<LanguageAnswer, "scores">,
  candidates: readonly string[] | undefined,
): boolean {
  const logs = logScores(scores, candidates);
  return logs !== undefined && otherThan(language, logs) !== undefined;
}

/** The choice without open turns, for another session. */
export const closed = (choice: LanguageChoice): LanguageChoice => ({
  ...choice,
  earlier: evidenceOf(choice),
  newest: undefined,
});

const evidenceOf = ({ earlier, newest }: LanguageChoice): LogScores => sum(earlier, newest?.logs ?? {});

function otherThan(language: string, logs: LogScores): string | undefined {
  const [other, probability] = likeliest(logs);
  return other !== language && probability >= SWITCH ? other : undefined;
}

function logScores(scores: LanguageScores, candidates: readonly string[] = Object.keys(scores)): LogScores | undefined {
  const total = candidates.reduce((before, language) => before + (scores[language] ?? 0), 0);
  if (!(total >= LEAST_SHARE)) return undefined;
  const logOf = (language: string) => Math.log(Math.max(LEAST_PROBABILITY, (scores[language] ?? 0) / total));
  return Object.fromEntries(candidates.map((language) => [language, logOf(language)]));
}

function sum(before: LogScores, more: LogScores): LogScores {
  const languages = [...new Set([...Object.keys(before), ...Object.keys(more)])];
  return Object.fromEntries(languages.map((language) => [language, (before[language] ?? 0) + (more[language] ?? 0)]));
}

/** The likeliest language and its probability. */
function likeliest(logs: LogScores): readonly [string, number] {
  const [language, log] = Object.entries(logs).reduce((best, entry) => (entry[1] > best[1] ? entry : best));
  const total = Object.values(logs).reduce((before, other) => before + Math.exp(other - log), 0);
  return [language, 1 / total];
}

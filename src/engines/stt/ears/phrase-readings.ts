import { likenessOf } from "./likeness.ts";

/** A text in which a phrase takes the place of words that sound like it. */
const MOST_READINGS = 3;
/** Less alike words are not worth a score. */
const MIN_LIKENESS = 0.6;
/** How much likelier a configured phrase is than other words, as a natural logarithm (docs/decisions/0087-phrases.md). */
export const PHRASE_ADVANTAGE = 5;

/** The text with one of the phrases in the place of words that sound like it, the likest first. A phrase that it has is left out. */
export function phraseReadings(text: string, phrases: readonly string[]): readonly string[] {
  const words = text.split(" ").filter((word) => word !== "");
  const found = phrases.flatMap((phrase) => bestPlace(words, phrase) ?? []);
  return found
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, MOST_READINGS)
    .map(({ text: reading }) => reading);
}

function bestPlace(words: readonly string[], phrase: string) {
  const sounds = soundsOf(phrase);
  const length = phrase.split(" ").length;
  let best: { readonly text: string; readonly likeness: number } | undefined;
  for (let count = Math.max(1, length - 1); count <= length + 1; count++)
    for (let start = 0; start + count <= words.length; start++) {
      const place = words.slice(start, start + count).join(" ");
      if (isSamePhrase(place, phrase)) return undefined;
      const likeness = likenessOf(soundsOf(place), sounds);
      if (likeness < MIN_LIKENESS || likeness <= (best?.likeness ?? 0)) continue;
      const mark = /[.,!?]$/u.exec(place)?.[0] ?? "";
      const reading = [
        ...words.slice(0, start),
        phrase.endsWith(mark) ? phrase : `${phrase}${mark}`,
        ...words.slice(start + count),
      ];
      best = { text: reading.join(" "), likeness };
    }
  return best;
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
const spokenWords = (text: string): string => text.split(" ").map(lettersOf).join(" ");
const isSamePhrase = (one: string, other: string): boolean => spokenWords(one) === spokenWords(other);

/** Letters that sound alike in many languages become one, and silent or doubled ones go. */
function soundsOf(text: string): string {
  return lettersOf(text.normalize("NFD").replaceAll(/\p{M}/gu, ""))
    .replaceAll("ph", "f")
    .replaceAll(/c(?=[eiy])|z/gu, "s")
    .replaceAll(/[cq]/gu, "k")
    .replaceAll(/[yj]/gu, "i")
    .replaceAll(/[vw]/gu, "f")
    .replaceAll(/[td]/gu, "t")
    .replaceAll(/[pb]/gu, "p")
    .replaceAll(/(?<=.)h/gu, "")
    .replaceAll(/(.)\1+/gu, "$1");
}

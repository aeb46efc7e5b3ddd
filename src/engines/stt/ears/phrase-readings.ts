import { likenessOf } from "./likeness.ts";

/** A text in which a phrase takes the place of words that sound like it. */
const MOST_READINGS = 3;
/** Less alike words are not worth a score. */
const MIN_LIKENESS = 0.6;
/** How much likelier a configured phrase is than other words, as a natural logarithm. Measured in docs/decisions/0089-two-ears.md. */
export const PHRASE_ADVANTAGE = 5;

/** The text with one of the phrases in the place of words that sound like it, the likest first. A phrase that it has is left out. */
export function phraseReadings(text: string, phrases: readonly string[]): readonly string[] {
  const words = text.split(" ").filter((word) => word !== "");
  const places = new Map<number, readonly Place[]>();
  const placesOf = (count: number): readonly Place[] => {
    const known = places.get(count) ?? placesIn(words, count);
    places.set(count, known);
    return known;
  };
  const found = phrases.flatMap((phrase) => bestPlace(words, phrase, placesOf) ?? []);
  return found
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, MOST_READINGS)
    .map(({ text: reading }) => reading);
}

/** Neighbouring words. */
interface Place {
  readonly start: number;
  readonly text: string;
  /** Without case and marks. */
  readonly spoken: string;
  readonly sounds: string;
}

/** All places of `count` words. */
function placesIn(words: readonly string[], count: number): readonly Place[] {
  return Array.from({ length: Math.max(0, words.length - count + 1) }, (_, start) => {
    const text = words.slice(start, start + count).join(" ");
    return { start, text, spoken: spokenWords(text), sounds: soundsOf(text) };
  });
}

function bestPlace(words: readonly string[], phrase: string, placesOf: (count: number) => readonly Place[]) {
  const sounds = soundsOf(phrase);
  const spokenPhrase = spokenWords(phrase);
  const length = phrase.split(" ").length;
  let best: { readonly text: string; readonly likeness: number } | undefined;
  for (let count = Math.max(1, length - 1); count <= length + 1; count++)
    for (const { start, text: place, spoken, sounds: placeSounds } of placesOf(count)) {
      if (spoken === spokenPhrase) return undefined;
      if (mostLikeness(placeSounds, sounds) < MIN_LIKENESS) continue;
      const likeness = likenessOf(placeSounds, sounds);
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

/** Upper limit of the likeness: all letters that are in the other text too count, in any order. It saves most comparisons. */
function mostLikeness(one: string, other: string): number {
  let common = 0;
  for (const letter of one) if (other.includes(letter)) common += 1;
  return (2 * Math.min(common, other.length)) / Math.max(1, one.length + other.length);
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
const spokenWords = (text: string): string => text.split(" ").map(lettersOf).join(" ");

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

import { speakable } from "../src/language/en/speakable.ts";

/** Normalises spelling so that only words count: lower case, numbers in words, no punctuation. */
export function plainWords(text: string): readonly string[] {
  return speakable(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}' ]/gu, " ")
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map((word) => SPELLINGS.get(word) ?? word);
}

const SPELLINGS = new Map([
  ["ok", "okay"],
  ["mr", "mister"],
  ["mrs", "missus"],
  ["dr", "doctor"],
]);

/** Number of substitutions, insertions and deletions from `reference` to `heard` (Levenshtein distance over words). */
export function wordErrors(reference: readonly string[], heard: readonly string[]): number {
  let row = heard.map((_, index) => index + 1);
  reference.forEach((word, line) => {
    let diagonal = line;
    let left = line + 1;
    row = row.map((above, index) => {
      const best = Math.min(above + 1, left + 1, diagonal + (word === heard[index] ? 0 : 1));
      diagonal = above;
      left = best;
      return best;
    });
  });
  return row.at(-1) ?? reference.length;
}

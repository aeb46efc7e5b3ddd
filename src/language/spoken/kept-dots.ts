import { pattern } from "./spoken-patterns.ts";

/**
 * A function that says whether the full stop after a text belongs to an abbreviation, an initial or, with `ordinals`, to a number
 * after these words. No sentence ends there.
 */
export function keptDotsBy(
  abbreviations: Readonly<Record<string, string>>,
  ordinals = "(?!)",
): (before: string) => boolean {
  const beginnings = Object.keys(abbreviations).flatMap((short) =>
    [...short.matchAll(/\./gu)].map(({ index }) => eitherCase(short.slice(0, index).replaceAll(".", "\\."))),
  );
  const kept = pattern(
    `(?<![\\p{L}\\d])(?:${beginnings.join("|")}|\\p{Lu}|(?:${ordinals}) \\d{1,2}(?:\\.\\d{1,2})?)$`,
    "u",
  );
  return (before) => kept.test(before);
}

/** The first letter is a capital at the beginning of a sentence. */
const eitherCase = (text: string): string => `[${text.charAt(0)}${text.charAt(0).toUpperCase()}]${text.slice(1)}`;

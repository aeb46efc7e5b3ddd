const LETTER = String.raw`[\p{L}\p{M}\p{N}']`;
const WORD = new RegExp(`${LETTER}+`, "gu");
const TOKEN = new RegExp(`${LETTER}+(?:[.:,]${LETTER}+)*`, "gu");
const HYPHENATED = new RegExp(`${LETTER}+(?:[.:,-]${LETTER}+)*`, "gu");

/** Writes every apostrophe as the ASCII one, which is part of a word: "don't", "l'eau". */
const plainApostrophes = (text: string): string => text.replace(/[\u2019\u02BC\u0060\u00B4]/g, "'");

/** The words of a text: lower case, without punctuation. "mm-hmm" is two. */
export const wordsOf = (text: string): string[] => plainApostrophes(text).toLowerCase().match(WORD) ?? [];

/** The words as written. A number with marks inside ("7:30") is one; with `hyphens`, so is "est-ce". */
export const tokensOf = (text: string, hyphens = false): string[] =>
  plainApostrophes(text).match(hyphens ? HYPHENATED : TOKEN) ?? [];

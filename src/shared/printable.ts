/** Control characters, line separators, marks that change the direction of text, and single surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Makes untrusted text safe for one line of a terminal or a log. Control characters are shown as `\u{1b}`. */
export const printable = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** Text on one line: each run of spaces, line breaks and control characters becomes a space. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();

export const isPrintable = (text: string): boolean => printable(text) === text;

/** A byte-level BPE vocabulary: each byte, and each word of a list as one token. */
export interface BytePairs {
  readonly tokens: readonly string[];
  /** Best first. */
  readonly merges: readonly string[];
}

const SPACE = " ";

/** GPT-2's table: bytes that are not visible letters of Latin-1 follow from U+0100 on, in order. */
const LETTERS: readonly string[] = (() => {
  const isVisible = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let hidden = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isVisible(byte) ? byte : 256 + hidden++));
})();

/**
 * Each word becomes one token, after a space and without one, in small letters and with a capital. Other text falls into
 * shorter pieces.
 */
export function bytePairs(words: readonly string[]): BytePairs {
  const tokens = new Set(LETTERS);
  const merges: string[] = [];
  const both = [...new Set(words.flatMap((word) => [word, `${word.charAt(0).toUpperCase()}${word.slice(1)}`]))];
  // Words after a space are merged from the space on, before any other letters are.
  for (const before of [SPACE, ""]) {
    for (const word of both.toSorted((a, b) => a.length - b.length)) {
      const letters = written(before + word);
      for (let end = 2; end <= letters.length; end += 1) {
        const piece = letters.slice(0, end);
        if (tokens.has(piece)) continue;
        tokens.add(piece);
        merges.push(`${piece.slice(0, -1)} ${piece.slice(-1)}`);
      }
    }
  }
  return { tokens: [...tokens], merges };
}

/** Text as tokens are written in model files: a visible letter for each byte. */
export const written = (text: string): string => [...Buffer.from(text)].map((byte) => LETTERS[byte]).join("");

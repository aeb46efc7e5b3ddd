/** A piece of text between spaces. Positions are UTF-16 units of the text. */
export interface Token {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Lower case, without marks at its ends. */
  readonly core: string;
  /** A mark after it may end a sentence. */
  readonly endsSentence: boolean;
  /** A comma or another mark follows it. */
  readonly endsPart: boolean;
}

const EDGE = /^[^\p{L}\p{N}+]+|[^\p{L}\p{N}]+$/gu;

export function tokensIn(text: string): Token[] {
  return Array.from(text.matchAll(/\S+/gu), ({ 0: piece, index }) => ({
    text: piece,
    from: index,
    to: index + piece.length,
    core: piece.replaceAll("’", "'").replaceAll(EDGE, "").toLowerCase(),
    endsSentence: /[.!?…]["')\]]*$/u.test(piece) && !/^(?:mr|mrs|ms|dr|st|hr|sr|sra|dra)\.$/iu.test(piece),
    endsPart: /[,;:!?.…]["')\]]*$/u.test(piece),
  }));
}

/** The part of the token without marks at its ends: what is hidden of the last word of a finding. */
export function innerEnd({ text, from }: Token): number {
  return from + text.replace(/[^\p{L}\p{N}]+$/u, "").length;
}

export const isCapital = ({ text }: Token): boolean => /^["'(]*\p{Lu}/u.test(text);

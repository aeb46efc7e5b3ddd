import { MARKS } from "./alphabet.ts";

/** The first private character. sherpa-onnx writes capitals small, and ends a sentence at a mark; private characters reach the model as they are. */
const PRIVATE = 0xf0000;
/** Stands before the first sound and after the last one. */
const EDGE = "\0";
/** The longest text that the voice was made for. */
const MOST_SOUNDS = 400;

/** Sounds as sherpa-onnx is given them: one private character each, as in the voice's tokens.txt. */
export function asTokens(sounds: string): string {
  return Array.from(`${EDGE}${sounds}${EDGE}`, asToken).join("");
}

export const asToken = (sound: string): string => String.fromCodePoint(PRIVATE + (sound.codePointAt(0) ?? 0));

/** Cuts sounds that are too long for one query after a mark, else between words. */
export function querySized(sounds: string): readonly string[] {
  const pieces: string[] = [];
  let rest = sounds;
  while (rest.length > MOST_SOUNDS) {
    const part = rest.slice(0, MOST_SOUNDS);
    const mark = Array.from(part.matchAll(new RegExp(`${MARKS.source} `, "gu"))).at(-1)?.index;
    const cut = mark === undefined ? part.lastIndexOf(" ") : mark + 1;
    const end = cut > 0 ? cut : MOST_SOUNDS;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return rest === "" ? pieces : [...pieces, rest];
}

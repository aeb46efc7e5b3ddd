import { lastSentence, type Expectation } from "./expectation.ts";

/** The missing part of a dictated number: digits, perhaps another group, or nothing. */
export type Remainder = "digits" | "perhaps" | "nothing";

/** Numbers that callers dictate in groups, and how a language names them. */
export interface DictationForms {
  /** Makes a caller's own sentence the beginning of a dictation: "my number is". */
  readonly named: RegExp;
  /** A telephone number, with the digits of the shortest one and those of a whole one. */
  readonly telephone: { readonly named: RegExp; readonly least: number; readonly whole: number };
  /** The number of a payment card. */
  readonly card: RegExp;
  /** Numbers that are said in one breath: of a room, of people, a date, the last digits of another number. */
  readonly short: RegExp;
  /** Words for one digit. */
  readonly digits: string;
}

const CARD = { least: 13, whole: 15 };
const OF_ANY_LENGTH = { least: 1, whole: Number.POSITIVE_INFINITY };
/** Fewer may be a word: "the first one". */
const FEWEST_AMONG_WORDS = 3;
/** "555", "0171-234", "B7", "K", "KOWAL". */
const PIECE = /^(?:\p{L}?\d[\d\p{Pd}/.]*\p{L}?|\p{L}(?:\p{Pd}\p{L})*|\p{Lu}{3,})$/u;

/** Compares the caller's words so far with the number that the service's last words (`said`) ask for, or that the caller names. */
export function remainderBy(
  { named, telephone, card, short, digits }: DictationForms,
  expectedAnswer: (said: string) => Expectation,
): (said: string, text: string) => Remainder {
  const digitWords = new Set(digits.split(" "));
  return (said, text) => {
    const asked = expectedAnswer(said) === "dictation" ? lastSentence(said) : "";
    const about = `${asked} ${text}`;
    if ((asked === "" && !named.test(text)) || short.test(about)) return "nothing";
    const { length, isAll } = spelledEnd(text, digitWords);
    if (length < (asked !== "" && isAll ? 1 : FEWEST_AMONG_WORDS)) return "nothing";
    const { least, whole } = card.test(about) ? CARD : telephone.named.test(about) ? telephone : OF_ANY_LENGTH;
    if (length < least) return "digits";
    return length < whole ? "perhaps" : "nothing";
  };
}

/** Number of digits and letters at the end of the text, and whether no other words come before them. */
function spelledEnd(text: string, digitWords: ReadonlySet<string>): { length: number; isAll: boolean } {
  let length = 0;
  for (const token of text.trim().split(/\s+/u).toReversed()) {
    const word = token.replace(/^[^\p{L}\d]+|[^\p{L}\d]+$/gu, "");
    if (digitWords.has(word.toLowerCase())) length += 1;
    else if (PIECE.test(word)) length += word.match(/[\p{L}\d]/gu)?.length ?? 0;
    else return { length, isAll: false };
  }
  return { length, isAll: true };
}

import type { NumberWords } from "./number-words.ts";
import type { Token } from "./tokens.ts";

/** Digits that are said in a row. */
export interface DigitRun {
  readonly digits: string;
  /** For each digit the index of the first and last token that it comes from. */
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** The digits of each token: "3", "2", "4" for 219-09-9999. */
  readonly groups: readonly number[];
  /** A plus stands before it. */
  readonly isInternational: boolean;
}

interface Atom {
  readonly digits: string;
  readonly tokens: number;
  readonly groups?: readonly number[];
}

/** Sounds and marks between digits that do not end a run. */
const FILLER = /^(?:u+h+m?|u+m+|a+h+|ä+h*m*|e+h+m?|euh|eh|hm+|dash|hyphen|minus|strich|tiret|guion|trattino|traço)?$/u;
/** "4111", "(415)", "555-867-5309", "20.00.00". Amounts ("1,299"), times ("14:35") and ordinals ("12th") are not dictated. */
const WRITTEN = /^\+?\(?\d[\d()./–-]*\)?$/u;
const AMOUNT = /^\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?$|^\d+[.,]\d{1,2}$/u;
const CURRENCY = /[$€£%]/u;
const LONGEST_PHRASE = 4;

/** The runs of digits of a text. Tokens that `isTaken` end a run. */
export function digitRuns(
  tokens: readonly Token[],
  words: NumberWords,
  isTaken: (index: number) => boolean,
): DigitRun[] {
  const runs: DigitRun[] = [];
  let open = emptyRun();
  let fillers = 0;
  const close = () => {
    if (open.digits !== "") runs.push(open);
    open = emptyRun();
    fillers = 0;
  };
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (token === undefined) break;
    if (isTaken(at)) {
      close();
      at += 1;
      continue;
    }
    if (open.digits === "" && isPlus(token)) {
      open.isInternational = true;
      at += 1;
      continue;
    }
    const atom = multiplied(tokens, at, words, open.digits !== "") ?? writtenAtom(token);
    if (atom === undefined) {
      fillers += 1;
      if (open.digits === "" || fillers > 2 || !FILLER.test(token.core)) close();
      at += 1;
      continue;
    }
    if (token.core.startsWith("+")) {
      close();
      open.isInternational = true;
    }
    for (const digit of atom.digits) {
      open.digits += digit;
      open.first.push(at);
      open.last.push(at + atom.tokens - 1);
    }
    open.groups.push(...(atom.groups ?? [atom.digits.length]));
    fillers = 0;
    at += atom.tokens;
    // A sentence ends a number, but recognisers write full stops between dictated groups.
  }
  close();
  return runs;
}

const emptyRun = () => ({
  digits: "",
  first: [] as number[],
  last: [] as number[],
  groups: [] as number[],
  isInternational: false,
});

const isPlus = ({ core, text }: Token) => text === "+" || core === "plus" || core === "más" || core === "più";

function writtenAtom({ core, text }: Token): Atom | undefined {
  if (CURRENCY.test(text) || AMOUNT.test(core) || !WRITTEN.test(core)) return undefined;
  const groups = core.match(/\d+/gu) ?? [];
  return { digits: groups.join(""), tokens: 1, groups: groups.map(({ length }) => length) };
}

/** A number word with what follows it: "triple one", "nine hundred", "fifty five hundred", "forty one". */
function multiplied(tokens: readonly Token[], at: number, words: NumberWords, isRun: boolean): Atom | undefined {
  const repeat = words.repeats.get(tokens[at]?.core ?? "");
  if (repeat !== undefined) {
    const next =
      spokenAtom(tokens, at + 1, words) ?? (tokens[at + 1] === undefined ? undefined : oneDigit(tokens[at + 1]!));
    return next === undefined ? undefined : { digits: next.digits.repeat(repeat), tokens: next.tokens + 1 };
  }
  const core = tokens[at]?.core ?? "";
  // Inside a run "hundred" continues a written number: "9 hundred". A bare "mille" or "cent" begins one.
  if (words.hundred.has(core) && !isRun) return undefined;
  const own = spokenAtom(tokens, at, words);
  if (own === undefined) {
    if (isRun && words.hundred.has(core)) return { digits: "00", tokens: 1 };
    if (isRun && words.thousand.has(core)) return { digits: "000", tokens: 1 };
    return undefined;
  }
  const after = tokens[at + own.tokens]?.core ?? "";
  if (words.hundred.has(after)) return { digits: `${own.digits}00`, tokens: own.tokens + 1 };
  if (words.thousand.has(after)) return { digits: `${own.digits}000`, tokens: own.tokens + 1 };
  return own;
}

const oneDigit = ({ core }: Token): Atom | undefined => (/^\d$/u.test(core) ? { digits: core, tokens: 1 } : undefined);

/** The longest number of up to 99 that begins at the token. */
function spokenAtom(tokens: readonly Token[], at: number, words: NumberWords): Atom | undefined {
  for (let length = LONGEST_PHRASE; length > 0; length -= 1) {
    const phrase = tokens.slice(at, at + length);
    // A comma separates numbers: "twenty, one".
    if (phrase.length < length || phrase.slice(0, -1).some(({ endsPart }) => endsPart)) continue;
    const digits = words.digits.get(phrase.map(({ core }) => core.replaceAll("-", " ")).join(" "));
    if (digits !== undefined) return { digits, tokens: length };
  }
  return undefined;
}

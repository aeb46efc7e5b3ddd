import { isCard, isIban, isRoutingNumber, isSocialSecurityNumber } from "./checks.ts";
import { digitRuns, type DigitRun } from "./digit-runs.ts";
import { type Finding, spanOf } from "./finding.ts";
import type { NumberWords } from "./number-words.ts";
import type { Token } from "./tokens.ts";

/** Words before a number that say what it is. `before` has the service's last words, which may have asked for it. */
const CONTEXT = {
  card: /\b(?:cards?|visa|mastercard|amex|american express|credit|debit)\b|karte|kredit|tarjeta|carta|cartão|kaart|\bcarte\b/u,
  ssn: /\b(?:social|ssn|security number|tax id|taxpayer)\b/u,
  account:
    /account|sort code|routing|\baba\b|\bbank\b|konto|bankleitzahl|\bblz\b|cuenta|compte|conto\b|conta\b|rekening/u,
  phone:
    /\b(?:phone|telephone|mobile|cell|call|ring|reach|text|fax|number'?s?)\b|telefon|handy|nummer|rückruf|teléfono|móvil|número|téléphone|portable|numéro|cellulare|numero|telefone|telemóvel|celular|telefoon/u,
  birth:
    /\b(?:born|birth|birthday|birthdate|dob)\b|geboren|geburt|nací|nacido|nacida|nacimiento|née?\b|naissance|nat[oa] il|nascita|nasci|nascimento|geboorte/u,
} as const;

/** Longer numbers identify a person or a thing, whatever they are. */
const ALWAYS_HIDDEN_DIGITS = 9;
/** The first digits of a card that is read on in the next turn count as a number too. */
const OPEN_END_DIGITS = 4;
const DICTATED_DIGITS = 3;
const CONTEXT_TOKENS = 9;

export interface NumberContext {
  readonly before: string;
  /** More digits may follow: the end of a run of four is hidden as well. */
  readonly isOpen: boolean;
  readonly isDictation: boolean;
}

/** Cards, accounts, social security and telephone numbers, and other long numbers. */
export function findNumbers(
  text: string,
  tokens: readonly Token[],
  words: NumberWords,
  isTaken: (index: number) => boolean,
  context: NumberContext,
): Finding[] {
  const ibans = findIbans(text, tokens, words, isTaken);
  const isFree = (index: number) =>
    isTaken(index) || ibans.some(({ from, to }) => (tokens[index]?.from ?? 0) < to && (tokens[index]?.to ?? 0) > from);
  const found = [...ibans];
  for (const run of digitRuns(tokens, words, isFree)) {
    const cards = cardsIn(run);
    if (cards.length > 0) {
      found.push(...cards.map(([first, last]) => spanOf("card", tokens, first, last)));
      continue;
    }
    const kind = kindOf(run, aboutOf(tokens, run, context.before));
    const isAtEnd = context.isOpen && run.last.at(-1) === tokens.length - 1 && run.digits.length >= OPEN_END_DIGITS;
    const isPart = context.isDictation && run.digits.length >= DICTATED_DIGITS;
    const hidden = kind ?? (isAtEnd || isPart ? "number" : undefined);
    if (hidden !== undefined) found.push(spanOf(hidden, tokens, run.first[0] ?? 0, run.last.at(-1) ?? 0));
  }
  return found;
}

/** The words before the run, the nearest ones, and the service's question. */
function aboutOf(tokens: readonly Token[], { first, last }: DigitRun, before: string) {
  const from = first[0] ?? 0;
  const own = tokens.slice(Math.max(0, from - CONTEXT_TOKENS), from).map(({ core }) => core);
  const after = tokens.slice((last.at(-1) ?? 0) + 1, (last.at(-1) ?? 0) + 5).map(({ core }) => core);
  const asked =
    before
      .toLowerCase()
      .split(/(?<=[.!?])\s+/u)
      .at(-1) ?? "";
  return { own: own.join(" "), after: after.join(" "), asked };
}

function kindOf(run: DigitRun, about: ReturnType<typeof aboutOf>): Finding["kind"] | undefined {
  const { digits, groups, isInternational } = run;
  const { length } = digits;
  const says = (kind: keyof typeof CONTEXT) =>
    CONTEXT[kind].test(about.own) || CONTEXT[kind].test(about.asked) || CONTEXT[kind].test(about.after);
  if (length >= 4 && length <= 9 && says("ssn")) return "ssn";
  const isGrouped = groups.join("-") === "3-2-4";
  if (length === 9 && isGrouped && isSocialSecurityNumber(digits)) return "ssn";
  if (length >= 6 && length <= 8 && says("birth")) return "birth";
  // A digit may have been misheard, so a number that the caller calls a card need not pass the check.
  if (length >= 12 && says("card")) return "card";
  if (isInternational && length >= 7) return "phone";
  if (length >= 5 && says("account")) return "account";
  if (length === 9 && isRoutingNumber(digits)) return "account";
  if (length >= 10 && length <= 15) return "phone";
  if (length >= 7 && (says("phone") || digits.startsWith("0"))) return "phone";
  if (groups.join("-") === "3-4" && length === 7) return "phone";
  return length >= ALWAYS_HIDDEN_DIGITS ? "number" : undefined;
}

/** Every stretch of the run that is the number of a card, with its tokens. */
function cardsIn({ digits, first, last }: DigitRun): [number, number][] {
  const cards: [number, number][] = [];
  for (let from = 0; from < digits.length; from += 1) {
    const length = [19, 18, 17, 16, 15, 14, 13].find(
      (most) => isCard(digits.slice(from, from + most)) && from + most <= digits.length,
    );
    if (length === undefined) continue;
    cards.push([first[from] ?? 0, last[from + length - 1] ?? 0]);
    from += length - 1;
  }
  // The rest of the run is a part of a number as well: an expiry, or a digit that the recogniser wrote twice.
  if (cards.length > 0 && digits.length > 12) return [[first[0] ?? 0, last.at(-1) ?? 0]];
  return cards;
}

const LONGEST_IBAN = 34;
/** Two letters and two digits, together or one by one. */
function findIbans(
  text: string,
  tokens: readonly Token[],
  words: NumberWords,
  isTaken: (index: number) => boolean,
): Finding[] {
  if (!/\p{L}/u.test(text)) return [];
  const found: Finding[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (isTaken(at) || !/^[a-z]{1,2}$|^[a-z]{2}\d/u.test(tokens[at]?.core ?? "")) continue;
    const last = ibanFrom(tokens, at, words, isTaken);
    if (last === undefined) continue;
    found.push(spanOf("iban", tokens, at, last));
    at = last;
  }
  return found;
}

/** The last token of the longest account number that begins here. */
function ibanFrom(
  tokens: readonly Token[],
  from: number,
  words: NumberWords,
  isTaken: (index: number) => boolean,
): number | undefined {
  let written = "";
  for (let at = from; at < tokens.length && written.length <= LONGEST_IBAN && !isTaken(at); at += 1) {
    const core = tokens[at]?.core ?? "";
    const isWritten = /^[a-z\d]+$/u.test(core) && (/\d/u.test(core) || core.length <= 4) && !words.digits.has(core);
    const added = isWritten ? core.toUpperCase() : digitsAt(tokens, at, words);
    if (added === undefined) return undefined;
    written += added;
    // A number that goes on is another one, after a word of two letters: "so 2 2 2 ...".
    const goesOn = /^\d/u.test(tokens[at + 1]?.core ?? "") || digitsAt(tokens, at + 1, words) !== undefined;
    if (isIban(written) && !goesOn) return at;
  }
  return undefined;
}

const digitsAt = (tokens: readonly Token[], at: number, words: NumberWords): string | undefined =>
  digitRuns(tokens.slice(at, at + 1), words, () => false)[0]?.digits;

import { findAddresses } from "./addresses.ts";
import { findBirthDates } from "./dates.ts";
import { REDACTION_KINDS, type RedactionKind } from "../../config/call-record-settings.ts";
import { type Finding, kindLabel, type Label, masked, merged } from "./finding.ts";
import { findMail } from "./mail.ts";
import { NameFinder } from "./names.ts";
import { numberWords } from "./number-words.ts";
import { findNumbers } from "./numbers.ts";
import { tokensIn } from "./tokens.ts";

export interface Redacted {
  readonly text: string;
  /** Positions in the original text. */
  readonly findings: readonly Finding[];
}

export interface RedactionContext {
  readonly speaker: "caller" | "assistant";
  /** Primary BCP-47 tag of the language. */
  readonly language: string;
  /** The other side's last words: they may have asked for what follows. */
  readonly before?: string;
  /** More may follow: digits at the end may be the beginning of a card. */
  readonly isOpen?: boolean;
  /** A number is being dictated: short runs of digits may repeat a part of it. */
  readonly isDictation?: boolean;
}

/** The longest text whose rules are applied at once. A turn of ten minutes is shorter. */
const LONGEST_TEXT = 20_000;

/** Hides what identifies people in the words of one call. Remembers the names that were given. */
export class Redactor {
  readonly #kinds: ReadonlySet<RedactionKind>;
  readonly #names = new NameFinder();
  readonly #year: number;
  readonly label: Label;

  /** @param year The present one, for dates of birth. */
  constructor(kinds: readonly RedactionKind[] = REDACTION_KINDS, year = new Date().getFullYear(), label = kindLabel) {
    this.#kinds = new Set(kinds);
    this.#year = year;
    this.label = label;
  }

  get isOff(): boolean {
    return this.#kinds.size === 0;
  }

  hides(kind: RedactionKind): boolean {
    return this.#kinds.has(kind);
  }

  /** Words that are hidden because they were given as names. */
  get nameCount(): number {
    return this.#names.count;
  }

  /** A name that was given in another way than by words. It is hidden from now on. */
  remember(name: string): void {
    this.#names.remember(tokensIn(name));
  }

  redact(text: string, context: RedactionContext): Redacted {
    const findings = this.find(text, context);
    return { text: masked(text, findings, this.label), findings };
  }

  find(
    text: string,
    { speaker, language, before = "", isOpen = false, isDictation = false }: RedactionContext,
  ): readonly Finding[] {
    if (this.isOff) return [];
    if (text.length > LONGEST_TEXT) return [{ kind: "number", from: 0, to: text.length }];
    const tokens = tokensIn(text);
    const words = numberWords(language);
    const found = findMail(text, tokens);
    const isTaken = (index: number) =>
      found.some(({ from, to }) => (tokens[index]?.from ?? 0) < to && (tokens[index]?.to ?? 0) > from);
    found.push(...findBirthDates(tokens, words, before, this.#year));
    found.push(...findNumbers(text, tokens, words, isTaken, { before, isOpen, isDictation }));
    found.push(...findAddresses(tokens, words, isTaken));
    found.push(...this.#names.find(tokens, speaker === "caller"));
    return merged(found.filter(({ kind }) => this.#kinds.has(kind)));
  }
}

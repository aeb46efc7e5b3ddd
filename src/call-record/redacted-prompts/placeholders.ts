import { REDACTION_KINDS, type RedactionKind } from "../../config/call-record-settings.ts";
import { digitRuns } from "../redaction/digit-runs.ts";
import { numberWords } from "../redaction/number-words.ts";
import { tokensIn } from "../redaction/tokens.ts";

/** Values of one call that are known at once. Older ones get a new number when they are said again. */
const MOST_VALUES = 500;
/** "[birth 1000]" is shorter. Models also write "[Name_1]" and "[ name 1 ]". */
const LONGEST = 24;
const ANY = new RegExp(`\\[[ ]?(${REDACTION_KINDS.join("|")})(?:[ _-]?(\\d{1,6}))?[ ]?\\]`, "giu");
/** Marks that end a sentence belong to a value that goes on in the next turn. */
const MARKS_AT_END = /[.,;:!?…\s]+$/u;
const WRITTEN_DIGIT = /\d/u;

interface Value {
  readonly kind: RedactionKind;
  /** As the caller said it. */
  readonly text: string;
  /** As a tool gets it. */
  readonly written: string;
}

/** A text with its placeholders replaced. */
export interface Restored {
  readonly text: string;
  /** A placeholder stands for nothing that is known. It was left out. */
  readonly isUnknown: boolean;
}

/** Names for hidden values, such as "[card 1]", and the way back. The same value has the same name for the whole call. */
export class Placeholders {
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, Value>();
  readonly #counts = new Map<RedactionKind, number>();

  /** @param language Primary BCP-47 tag, for spoken digits. */
  name(kind: RedactionKind, hidden: string, language: string): string {
    const text = hidden.replace(MARKS_AT_END, "");
    const key = `${kind} ${text.toLowerCase().replaceAll(/\s+/gu, " ")}`;
    const number = (this.#counts.get(kind) ?? 0) + 1;
    const name = this.#names.get(key) ?? `${kind} ${String(number)}`;
    if (!this.#values.has(name)) {
      this.#counts.set(kind, number);
      this.#values.set(name, { kind, text, written: written(text, language) });
    }
    // The last used one is the last to be forgotten.
    this.#names.delete(key);
    this.#names.set(key, name);
    this.#forget();
    return `[${name}]`;
  }

  /** @param form `text` for what the caller hears, `written` for tools. */
  restore(text: string, form: "text" | "written"): Restored {
    let isUnknown = false;
    const restored = text.replaceAll(ANY, (_, kind: string, number: string | undefined) => {
      const value = this.#find(kind.toLowerCase() as RedactionKind, number);
      isUnknown ||= value === undefined;
      return value?.[form] ?? "";
    });
    return { text: restored, isUnknown };
  }

  /** A name without a number is clear when the call has one value of its kind. */
  #find(kind: RedactionKind, number: string | undefined): Value | undefined {
    if (number !== undefined) return this.#values.get(`${kind} ${String(Number(number))}`);
    const [only, ...others] = [...this.#values.values()].filter((value) => value.kind === kind);
    return others.length === 0 ? only : undefined;
  }

  #forget(): void {
    if (this.#names.size <= MOST_VALUES) return;
    const [[key, name] = ["", ""]] = this.#names;
    this.#names.delete(key);
    this.#values.delete(name);
  }
}

/** Digits that were said as words become digits: a tool has no use for "four one one one". */
function written(text: string, language: string): string {
  if (WRITTEN_DIGIT.test(text)) return text;
  const tokens = tokensIn(text);
  const runs = digitRuns(tokens, numberWords(language), () => false);
  const [run] = runs;
  const isWhole = runs.length === 1 && run?.first[0] === 0 && run.last.at(-1) === tokens.length - 1;
  return isWhole ? `${run.isInternational ? "+" : ""}${run.digits}` : text;
}

/** Where a placeholder may begin that the next piece of the text completes. The length of the text: nowhere. */
export function openPlaceholder(text: string): number {
  const from = text.lastIndexOf("[");
  const isOpen = from >= 0 && !text.includes("]", from) && text.length - from < LONGEST;
  return isOpen ? from : text.length;
}

import type { ConsentMode } from "../config/call-record-settings.ts";
import type { Language } from "../language/language.ts";

/** The sentence is said so often. After that, words that are neither yes nor no count as a no. */
const MOST_TIMES = 3;

export type ConsentAnswer = "given" | "refused" | "again";

/** A sentence about the record that the caller must hear: the announcement, or the question. */
export class ConsentSentence {
  readonly text: string;
  #said = 0;
  #isAwaited = false;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * A reply ended. True when the sentence must be said again, because the caller spoke before they heard it.
   * @param heard The part of the reply that the caller heard.
   */
  replyEnded(reply: string, heard: string): boolean {
    if (!reply.includes(this.text)) return false;
    this.#said += 1;
    this.#isAwaited = heard.includes(this.#essence);
    return !this.#isAwaited && this.mayRepeat;
  }

  /** The words of a turn. Undefined: the question was not heard before, so they answer something else. */
  answer(words: string, { facts }: Language): ConsentAnswer | undefined {
    if (!this.#isAwaited) return undefined;
    this.#isAwaited = false;
    if (facts.refuses(words)) return "refused";
    if (facts.agrees(words)) return "given";
    return this.mayRepeat ? "again" : "refused";
  }

  get mayRepeat(): boolean {
    return this.#said < MOST_TIMES;
  }

  /** A caller who answers early has not heard the last word. */
  get #essence(): string {
    const words = this.text.split(" ");
    return words.slice(0, Math.max(1, words.length - 2)).join(" ");
  }
}

/** The greeting with the sentence about the record. */
export function greetingWith(mode: ConsentMode, sentence: string, greeting: string | undefined): string | undefined {
  if (mode === "none") return greeting;
  const parts = mode === "announce" ? [sentence, greeting] : [greeting, sentence];
  return parts.filter((part) => part !== undefined).join(" ");
}

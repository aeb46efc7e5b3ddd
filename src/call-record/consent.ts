import type { ConsentMode } from "../config/call-record-settings.ts";
import type { Language } from "../language/language.ts";

/** The question is asked so often. After that, words that are neither yes nor no count as a no. */
const MOST_QUESTIONS = 2;

export type ConsentAnswer = "given" | "refused" | "again";

/**
 * Waits for the caller's answer to the question whether the call may be recorded. Only the turn after the question counts: a later yes
 * answers something else.
 */
export class ConsentQuestion {
  readonly text: string;
  #asked = 0;
  #isAwaited = false;

  constructor(text: string) {
    this.text = text;
  }

  /** A reply ended. @param heard The part of it that the caller heard. */
  replyHeard(heard: string): void {
    if (!heard.includes(this.#essence)) return;
    this.#asked += 1;
    this.#isAwaited = true;
  }

  /** The words of a turn. Undefined: the question was not heard before, so they answer something else. */
  answer(words: string, { facts }: Language): ConsentAnswer | undefined {
    if (!this.#isAwaited) return undefined;
    this.#isAwaited = false;
    if (facts.refuses(words)) return "refused";
    if (facts.agrees(words)) return "given";
    return this.#asked < MOST_QUESTIONS ? "again" : "refused";
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

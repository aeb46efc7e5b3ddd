import type { ChatMessage } from "../llm/contract.ts";

/** Turns kept; the language model's own token bound cuts further. */
const MAX_MESSAGES = 60;
/**
 * Left out at once: the prompt's beginning changes, and the model evaluates all of it afresh. Even, so that the same speaker
 * goes on to begin.
 */
const BLOCK_MESSAGES = 20;
/** Characters of one message, about 1,000 tokens: what is said while no reply is heard must not outgrow the model's context. */
const MAX_MESSAGE_CHARS = 4000;

/** What was said, as the user experienced it: the assistant's part holds only what was heard. */
export class History {
  readonly #messages: ChatMessage[] = [];

  addUser(text: string): void {
    this.#add("user", text);
  }

  /** `heard`: the part of the reply that was played; nothing is kept of a reply nobody heard. */
  addAssistant(heard: string): void {
    if (heard !== "") this.#add("assistant", heard);
  }

  /** Forgets what was heard of the last reply: what the user said before it is to be answered again. */
  askAgain(): void {
    if (this.#messages.at(-1)?.role === "assistant") this.#messages.pop();
  }

  /** What the user heard last, when he has not answered it yet. */
  get unanswered(): string {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" ? last.content : "";
  }

  /** True when the user spoke last: there is something to answer. */
  get isAsked(): boolean {
    return this.#messages.at(-1)?.role === "user";
  }

  /** The conversation for the model, system message first; as if `said` had been said too. */
  prompt(system: string, said = ""): ChatMessage[] {
    const ahead = new History();
    ahead.#messages.push(...this.#messages);
    if (said !== "") ahead.addUser(said);
    return [{ role: "system", content: system }, ...ahead.#messages];
  }

  /** Two utterances in a row by the same speaker are one message, as chat templates expect. */
  #add(role: "user" | "assistant", text: string): void {
    const last = this.#messages.at(-1);
    const goesOn = last?.role === role;
    const content = latest(goesOn ? `${last.content} ${text}` : text);
    this.#messages.splice(goesOn ? -1 : this.#messages.length, 1, { role, content });
    if (this.#messages.length > MAX_MESSAGES) this.#messages.splice(0, BLOCK_MESSAGES);
  }
}

/** The end of a text, from a word's beginning on. */
function latest(text: string): string {
  return text.length <= MAX_MESSAGE_CHARS ? text : text.slice(-MAX_MESSAGE_CHARS).replace(/^\S*\s+/, "");
}

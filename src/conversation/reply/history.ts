import type { ChatMessage } from "../../engines/llm/language-model.ts";

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

  /** `note` stands before the words, on a line of its own. It stays with the message, so that later prompts begin the same. */
  addUser(text: string, note = ""): void {
    this.#add("user", text, note);
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

  /** The conversation for the model, system message first. */
  prompt(system: string): ChatMessage[] {
    return [{ role: "system", content: system }, ...this.#messages];
  }

  /** The prompt as it will be once the user has said `said`. Empty `said`: as far as it is known while the user speaks. */
  promptAhead(system: string, said: string, note = ""): ChatMessage[] {
    const ahead = new History();
    ahead.#messages.push(...this.#messages);
    ahead.addUser(said, note);
    return ahead.prompt(system);
  }

  /** Two utterances in a row by the same speaker are one message, as chat templates expect. An unchanged note is not repeated. */
  #add(role: "user" | "assistant", text: string, note = ""): void {
    const last = this.#messages.at(-1);
    const goesOn = last?.role === role;
    const noted = MAX_MESSAGE_CHARS - note.length - 2;
    const said = latest(text, noted);
    const before = goesOn ? latest(last.content, noted - said.length) : "";
    const content = before.includes(note) ? `${before} ${said}`.trim() : `${before}\n${note}\n${said}`.trimStart();
    this.#messages.splice(goesOn ? -1 : this.#messages.length, 1, { role, content });
    if (this.#messages.length > MAX_MESSAGES) this.#messages.splice(0, BLOCK_MESSAGES);
  }
}

/** The end of a text, from a word's beginning on. */
function latest(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(text.length - chars).replace(/^\S*\s+/, "");
}

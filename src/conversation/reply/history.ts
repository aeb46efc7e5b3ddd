import type { ChatMessage } from "../../engines/llm/language-model.ts";

/** Messages kept. The token limit of the language model cuts further. */
const MAX_MESSAGES = 60;
/**
 * Messages removed at once, because each removal makes the model evaluate the whole prompt again. The number is even, so that the
 * same speaker comes first.
 */
const BLOCK_MESSAGES = 20;
/** Characters of one message, about 1,000 tokens. Long speech without a reply must not exceed the model's context. */
const MAX_MESSAGE_CHARS = 4000;

/** The conversation as the caller experienced it: it holds only the part of each reply that they heard. */
export class History {
  readonly #messages: ChatMessage[] = [];

  /** `note` comes before the words on its own line. It stays in the message, so that the beginning of later prompts is the same. */
  addUser(text: string, note = ""): void {
    this.#add("user", text, note);
  }

  /** `heard`: the part of the reply that was played. An inaudible reply leaves nothing. */
  addAssistant(heard: string): void {
    if (heard !== "") this.#add("assistant", heard);
  }

  /** Removes the last reply, so that the words before it are answered again. */
  askAgain(): void {
    if (this.#messages.at(-1)?.role === "assistant") this.#messages.pop();
  }

  /** The last reply as heard, when the caller has not answered it yet; otherwise empty. */
  get unanswered(): string {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" ? last.content : "";
  }

  /** True when the caller spoke last. */
  get isAsked(): boolean {
    return this.#messages.at(-1)?.role === "user";
  }

  /** The conversation for the model, system message first. */
  prompt(system: string): ChatMessage[] {
    return [{ role: "system", content: system }, ...this.#messages];
  }

  /** The prompt for a caller who says `said`. With an empty `said`: its part that is known while they speak. */
  promptAhead(system: string, said: string, note = ""): ChatMessage[] {
    const ahead = new History();
    ahead.#messages.push(...this.#messages);
    ahead.addUser(said, note);
    return ahead.prompt(system);
  }

  /** Successive utterances of one speaker are one message, as chat templates expect. An unchanged note is not repeated. */
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

/** The end of a text, from the beginning of a word. */
function latest(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(text.length - chars).replace(/^\S*\s+/, "");
}

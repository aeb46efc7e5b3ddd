import type { ChatMessage } from "../../engines/llm/language-model.ts";
import { heardChars, type SpokenSpan } from "./heard-chars.ts";

/** Messages kept. The token limit of the language model cuts further. */
const MAX_MESSAGES = 60;
/**
 * Messages removed at once, because each removal makes the model evaluate the whole prompt again. The number is even, so that the
 * same speaker comes first.
 */
const BLOCK_MESSAGES = 20;
/** Characters of one message, about 1,000 tokens. Long speech without a reply must not exceed the model's context. */
const MAX_MESSAGE_CHARS = 4000;
/** Several entries of one speaker become one message, so their number needs its own limit. */
const MAX_ENTRIES = 240;

/** One contribution to the conversation. */
interface Entry {
  readonly key: string;
  readonly role: "user" | "assistant";
  text: string;
  /** Comes before the words on its own line. */
  readonly note: string;
  /** A reply as it was sent. */
  spoken?: SpokenReply;
}

/** The whole text of a reply and the speech of its parts. */
export interface SpokenReply {
  readonly text: string;
  readonly spans: readonly SpokenSpan[];
}

/** Where an entry is added: at the end, at the front, or after the entry with this key. */
export type Place = "end" | "front" | { readonly after: string };

/** The conversation as the caller experienced it: it holds only the part of each reply that they heard. */
export class History {
  readonly #entries: Entry[] = [];

  /** `note` stays in the message, so that the beginning of later prompts is the same. */
  addUser(text: string, note = "", key = ""): void {
    this.insert({ key, role: "user", text, note });
  }

  /** `heard`: the part of the reply that was played. An inaudible reply leaves nothing in the prompt. */
  addAssistant(heard: string, key = "", spoken?: SpokenReply): void {
    const open = this.#find(key);
    if (open === undefined) this.insert({ key, role: "assistant", text: heard, note: "" });
    else open.text = heard;
    const entry = open ?? this.#entries.at(-1);
    if (entry !== undefined && spoken !== undefined) entry.spoken = spoken;
    this.#limit();
  }

  insert(entry: Pick<Entry, "key" | "role" | "text" | "note">, place: Place = "end"): void {
    const kept: Entry = { ...entry, text: latest(entry.text, MAX_MESSAGE_CHARS) };
    this.#entries.splice(this.#position(place), 0, kept);
    this.#limit();
  }

  remove(key: string): void {
    const at = this.#entries.findIndex((entry) => entry.key === key);
    if (at >= 0) this.#entries.splice(at, 1);
  }

  /** Corrects how much of a reply was heard. Returns the words that stay; undefined when the reply is not kept any more. */
  truncate(key: string, heardMs: number): string | undefined {
    const entry = this.#find(key);
    if (entry?.spoken === undefined) return undefined;
    const { text, spans } = entry.spoken;
    entry.text = text.slice(0, heardChars(text, spans, heardMs)).trim();
    return entry.text;
  }

  /** Removes the last reply, so that the words before it are answered again. */
  askAgain(): void {
    const [last] = this.#messages().slice(-1);
    if (last?.role === "assistant") this.#entries.splice(last.first);
  }

  /** The last reply as heard, when the caller has not answered it yet; otherwise empty. */
  get unanswered(): string {
    const last = this.#messages().at(-1);
    return last?.role === "assistant" ? last.content : "";
  }

  /** True when the caller spoke last. */
  get isAsked(): boolean {
    return this.#messages().at(-1)?.role === "user";
  }

  /** The conversation for the model, system message first. */
  prompt(system: string): ChatMessage[] {
    const messages = this.#messages().map(({ role, content }) => ({ role, content }));
    return [{ role: "system", content: system }, ...messages];
  }

  /** The prompt for a caller who says `said`. With an empty `said`: its part that is known while they speak. */
  promptAhead(system: string, said: string, note = ""): ChatMessage[] {
    const ahead = new History();
    ahead.#entries.push(...this.#entries);
    ahead.#entries.push({ key: "", role: "user", text: said, note });
    ahead.#limit();
    return ahead.prompt(system);
  }

  #find(key: string): Entry | undefined {
    return key === "" ? undefined : this.#entries.findLast((entry) => entry.key === key);
  }

  #position(place: Place): number {
    if (place === "front") return 0;
    if (place === "end") return this.#entries.length;
    const at = this.#entries.findIndex(({ key }) => key === place.after);
    return at < 0 ? this.#entries.length : at + 1;
  }

  #limit(): void {
    const messages = this.#messages();
    if (messages.length > MAX_MESSAGES) this.#entries.splice(0, messages[BLOCK_MESSAGES]?.first ?? 0);
    if (this.#entries.length > MAX_ENTRIES) this.#entries.splice(0, this.#entries.length - MAX_ENTRIES);
  }

  /**
   * Successive utterances of one speaker are one message, as chat templates expect. An unchanged note is not repeated. `first`: the
   * index of the message's first entry.
   */
  #messages(): (ChatMessage & { readonly first: number })[] {
    const messages: (ChatMessage & { readonly first: number })[] = [];
    for (const [index, { role, text, note }] of this.#entries.entries()) {
      if (role === "assistant" && text === "") continue;
      const last = messages.at(-1);
      const goesOn = last?.role === role;
      const noted = MAX_MESSAGE_CHARS - note.length - 2;
      const said = latest(text, noted);
      const before = goesOn ? latest(last.content, noted - said.length) : "";
      const content = before.includes(note) ? `${before} ${said}`.trim() : `${before}\n${note}\n${said}`.trimStart();
      const first = goesOn ? last.first : index;
      messages.splice(goesOn ? -1 : messages.length, 1, { role, content, first });
    }
    return messages;
  }
}

/** The end of a text, from the beginning of a word. */
function latest(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(text.length - chars).replace(/^\S*\s+/, "");
}

import type { ChatMessage, ToolCall } from "../../../engines/llm/language-model.ts";
import type { AskedCall } from "../../tool-calls/confirmation.ts";
import { heardChars } from "./heard-chars.ts";
import type { SpokenSpan } from "../../events.ts";

/** Messages kept. The token limit of the language model cuts further. */
const MAX_MESSAGES = 60;
/**
 * Messages removed at once, because each removal makes the model evaluate the whole prompt again. More are removed until the
 * same speaker comes first.
 */
const BLOCK_MESSAGES = 20;
/** Characters of one message, about 1,000 tokens. Long speech without a reply must not exceed the model's context. */
const MAX_MESSAGE_CHARS = 4000;
const MAX_RESULT_CHARS = 3500;
/** Several entries of one speaker become one message, so their number needs its own limit. */
const MAX_ENTRIES = 240;

/** A reply that the caller cut after fewer characters said nothing. A weak model repeats it word for word, and ends there too. */
const MIN_CUT_CHARS = 16;
const SENTENCE_END = /[.!?…。！？]/u;

/** The key of a call. */
export const toolCallKey = (id: string): string => `call ${id}`;

/** The result of a call that has none yet. */
const RUNNING = "(still running)";
/** The result of a call that waits for the caller's yes. */
const NOT_DONE = "(not done: the caller must agree first)";

/** One contribution to the conversation. */
export interface Entry {
  readonly key: string;
  readonly role: "user" | "assistant" | "call";
  /** Words, or the result of a call. */
  text: string;
  /** Only an entry with the role "call" has it. */
  readonly call?: Pick<ToolCall, "name" | "arguments">;
  /** Comes before the words on its own line. */
  readonly note: string;
  /** A reply as it was sent. */
  spoken?: SpokenReply;
  /** The call whose values the reply read back at its end. */
  asked?: AskedCall;
}

/** An entry of words. */
export interface Words extends Pick<Entry, "key" | "text" | "note"> {
  readonly role: "user" | "assistant";
}

/** The whole text of a reply and the speech of its parts. */
export interface SpokenReply {
  readonly text: string;
  readonly spans: readonly SpokenSpan[];
}

/** Where an entry is added: at the end, at the front, or after the entry with this key. */
export type Position = "end" | "front" | { readonly after: string };

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

  insert(entry: Words, position: Position = "end"): void {
    this.#add({ ...entry, text: latest(entry.text, MAX_MESSAGE_CHARS) }, position);
  }

  /** A model that saw the read-back as words would write one itself, and make no call. It sees the call. */
  setAsked(key: string, asked: AskedCall): void {
    const entry = this.#find(key);
    if (entry !== undefined) entry.asked = asked;
  }

  /** Its key is `toolCallKey(id)`. Its result follows with `setResult`. */
  insertCall({ id, name, arguments: args }: ToolCall, position: Position = "end"): void {
    this.#add(
      { key: toolCallKey(id), role: "call", text: RUNNING, note: "", call: { name, arguments: args } },
      position,
    );
  }

  /** Undefined removes the result. Returns false when the call is not kept any more. */
  setResult(callId: string, text: string | undefined): boolean {
    const entry = this.#find(toolCallKey(callId));
    if (entry?.role !== "call") return false;
    // The cut may halve a character.
    entry.text = text?.slice(0, MAX_RESULT_CHARS).toWellFormed() ?? RUNNING;
    return true;
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

  /** The replies that follow the caller's last words, as they were sent, oldest first. */
  get unansweredReplies(): readonly { readonly key: string; readonly text: string; readonly spoken: SpokenReply }[] {
    const after = this.#entries.slice(this.#entries.findLastIndex(({ role }) => role === "user") + 1);
    return after.flatMap(({ key, text, spoken }) => (spoken === undefined ? [] : [{ key, text, spoken }]));
  }

  /** Copies of all entries. Speech is kept only of replies that the caller has not answered. */
  get entries(): readonly Entry[] {
    const answered = this.#entries.findLastIndex(({ role }) => role === "user");
    return this.#entries.map(({ spoken, ...entry }, at) =>
      at < answered || spoken === undefined ? entry : { ...entry, spoken },
    );
  }

  load(entries: readonly Entry[]): void {
    this.#entries.splice(0, this.#entries.length, ...entries.map((entry) => ({ ...entry })));
  }

  /** Keeps only the beginning of a reply. */
  cut(key: string, chars: number): void {
    const entry = this.#find(key);
    if (entry?.spoken !== undefined) entry.text = entry.spoken.text.slice(0, chars).trim();
  }

  /** The caller's last words, when no reply follows them; otherwise empty. */
  get unansweredWords(): string {
    const before = this.#entries.findLastIndex(({ role, text }) => role === "assistant" && text !== "");
    const words = this.#entries.slice(before + 1).filter(({ role }) => role === "user");
    return words.map(({ text }) => text).join(" ");
  }

  /** A call has a result, and the caller has heard no whole sentence since. */
  get hasUnheardResult(): boolean {
    const call = this.#entries.findLastIndex(({ role, text }) => role === "call" && text !== RUNNING);
    return call >= 0 && !this.#entries.slice(call + 1).some((entry) => isHeard(entry));
  }

  /** The number of messages that the model gets. */
  get size(): number {
    return this.#messages().length;
  }

  /** Removes the last reply, so that the words before it are answered again. */
  askAgain(): void {
    const last = this.#messages().at(-1);
    if (last?.message.role === "assistant") this.#entries.splice(last.first);
  }

  /** The last reply as heard, when the caller has not answered it yet; otherwise empty. */
  get unanswered(): string {
    const last = this.#messages().at(-1)?.message;
    return last?.role === "assistant" ? last.content : "";
  }

  /** True when the caller spoke last, or a call was last. */
  get isAsked(): boolean {
    const role = this.#messages().at(-1)?.message.role;
    return role === "user" || role === "call";
  }

  /** The conversation for the model, system message first. */
  prompt(system: string): ChatMessage[] {
    return [{ role: "system", content: system }, ...this.#messages().map(({ message }) => message)];
  }

  /** The prompt for a caller who says `said`. With an empty `said`: its part that is known while they speak. */
  promptAhead(system: string, said: string, note = ""): ChatMessage[] {
    const ahead = new History();
    ahead.#entries.push(...this.#entries);
    ahead.#entries.push({ key: "", role: "user", text: said, note });
    ahead.#limit();
    return ahead.prompt(system);
  }

  #add(entry: Entry, position: Position): void {
    this.#entries.splice(this.#at(position), 0, entry);
    this.#limit();
  }

  #find(key: string): Entry | undefined {
    return key === "" ? undefined : this.#entries.findLast((entry) => entry.key === key);
  }

  #at(position: Position): number {
    if (position === "front") return 0;
    if (position === "end") return this.#entries.length;
    const at = this.#entries.findIndex(({ key }) => key === position.after);
    return at < 0 ? this.#entries.length : at + 1;
  }

  #limit(): void {
    const messages = this.#messages();
    if (messages.length > MAX_MESSAGES) {
      const next = messages.find(
        ({ message }, at) => at >= BLOCK_MESSAGES && message.role === messages[0]?.message.role,
      );
      this.#entries.splice(0, (next ?? messages[BLOCK_MESSAGES])?.first ?? 0);
    }
    if (this.#entries.length > MAX_ENTRIES) this.#entries.splice(0, this.#entries.length - MAX_ENTRIES);
  }

  /** Successive utterances of one speaker are one message, as chat templates expect. An unchanged note is not repeated. */
  #messages(): Message[] {
    const messages: Message[] = [];
    for (const [first, { role, text, note, call, asked, spoken }] of this.#entries.entries()) {
      if (isScrap(text, spoken) && this.#entries[first + 1]?.role === "user") continue;
      if (role === "call") {
        if (call !== undefined) messages.push({ message: { role, ...call, content: text }, first });
      } else if (asked !== undefined && text.endsWith(asked.question)) {
        const { name, arguments: args } = asked.call;
        say(messages, { role, text: text.slice(0, -asked.question.length).trim(), note, first });
        messages.push({ message: { role: "call", name, arguments: args, content: NOT_DONE, isDone: false }, first });
        say(messages, { role, text: lastSentence(asked.question), note, first });
      } else say(messages, { role, text, note, first });
    }
    return messages;
  }
}

function say(
  messages: Message[],
  { role, text, note, first }: Pick<Words, "role" | "text" | "note"> & { first: number },
): void {
  if (role === "assistant" && text === "") return;
  const last = messages.at(-1);
  const goesOn = last?.message.role === role;
  const noted = MAX_MESSAGE_CHARS - note.length - 2;
  const said = latest(text, noted);
  const before = goesOn ? latest(last.message.content, noted - said.length) : "";
  const content = before.includes(note) ? `${before} ${said}`.trim() : `${before}\n${note}\n${said}`.trimStart();
  messages.splice(goesOn ? -1 : messages.length, 1, { message: { role, content }, first: goesOn ? last.first : first });
}

const isScrap = (text: string, spoken: SpokenReply | undefined): boolean =>
  spoken !== undefined && text !== spoken.text.trim() && text.length < MIN_CUT_CHARS && !SENTENCE_END.test(text);

const lastSentence = (text: string): string => /[^.!?]*[.!?\s]*$/u.exec(text.trim())?.[0].trim() ?? "";

const isHeard = ({ role, text, spoken }: Entry): boolean =>
  role === "assistant" && text !== "" && (text === spoken?.text.trim() || SENTENCE_END.test(text));

interface Message {
  readonly message: ChatMessage;
  /** The index of the message's first entry. */
  readonly first: number;
}

/** The end of a text, from the beginning of a word. */
function latest(text: string, chars: number): string {
  return text.length <= chars ? text : text.slice(text.length - chars).replace(/^\S*\s+/, "");
}

/** The keys of entries that the session itself adds to the conversation. */
export const turnKey = (turn: number): string => `turn ${String(turn)}`;

export const replyKey = (reply: number): string => `reply ${String(reply)}`;

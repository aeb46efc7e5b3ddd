import { isDeepStrictEqual } from "node:util";
import type { RedactionKind } from "../../config/call-record-settings.ts";
import type { ChatMessage, Prompt } from "../../engines/llm/language-model.ts";
import { SpokenTurns } from "../spoken-turns.ts";
import { masked } from "../redaction/finding.ts";
import type { Placeholders } from "./placeholders.ts";
import { redactJson } from "../redaction/redact-json.ts";
import { Redactor } from "../redaction/redactor.ts";

/** Lines of the service before the caller's words, such as the time. */
const NOTES = /^(?:\([^\n]*\)\n)+/u;
/** The model must know what "[card 1]" is. The same for each prompt, so that the server's cache of the beginning stays of use. */
const HINT =
  "Texts in square brackets such as [name 1] or [card 2] stand for data of the caller that you cannot see. Copy them exactly, with their brackets, wherever the data belongs.";

/** Hides what identifies people in the prompts of one call. Each prompt has the whole conversation, and the names are remembered. */
export class PromptRedaction {
  readonly #redactor: Redactor;
  readonly #placeholders: Placeholders;
  readonly #language: () => string;
  /** The prompt before, up to where the work on the next one can begin. */
  #before:
    | { readonly language: string; readonly messages: readonly ChatMessage[]; readonly result: readonly ChatMessage[] }
    | undefined;

  /** @param language Primary BCP-47 tag of the language that is spoken now. */
  constructor(kinds: readonly RedactionKind[], placeholders: Placeholders, language: () => string) {
    this.#placeholders = placeholders;
    this.#language = language;
    this.#redactor = new Redactor(kinds, undefined, this.#label);
  }

  redacted<Asked extends Prompt>(prompt: Asked): Asked {
    const names = this.#redactor.nameCount;
    const messages = this.#messages(prompt.messages);
    if (this.#redactor.nameCount === names) return { ...prompt, messages };
    // A name that was given now may stand in earlier messages.
    this.#before = undefined;
    return { ...prompt, messages: this.#messages(prompt.messages) };
  }

  #label = (kind: RedactionKind, hidden: string): string => this.#placeholders.name(kind, hidden, this.#language());

  #messages(messages: readonly ChatMessage[]): ChatMessage[] {
    const language = this.#language();
    const known = this.#unchanged(messages, language);
    const turns = new SpokenTurns(this.#redactor);
    const result = known.slice();
    let resumable = known.length;
    for (const [index, message] of messages.entries()) {
      if (index < known.length) continue;
      if (!turns.isDictating) resumable = index;
      if (message.role === "user") {
        this.#user(message, index, messages, { language, turns, result });
      } else if (message.role === "call") {
        const context = { speaker: "caller", language, isDictation: turns.isDictating } as const;
        const hidden = (text: string) => redactJson(text, this.#redactor, context);
        result.push({ ...message, arguments: hidden(message.arguments), content: hidden(message.content) });
      } else if (message.role === "assistant")
        result.push({ ...message, content: this.#text(message.content, "assistant", language, turns.isDictating) });
      else result.push({ ...message, content: `${message.content}\n${HINT}`.trim() });
    }
    this.#before = { language, messages: messages.slice(0, resumable), result };
    return result;
  }

  /** The redacted beginning that is the same as in the prompt before. */
  #unchanged(messages: readonly ChatMessage[], language: string): readonly ChatMessage[] {
    const before = this.#before;
    if (before?.language !== language) return [];
    const changed = before.messages.findIndex((message, index) => !isDeepStrictEqual(message, messages[index]));
    // Digits may go on from the message before.
    return changed === -1 ? before.result.slice(0, before.messages.length) : [];
  }

  /** @param isDictation A number is being dictated: the service may repeat a part of it. */
  #text(text: string, speaker: "caller" | "assistant", language: string, isDictation = false): string {
    return this.#redactor.redact(text, { speaker, language, isDictation }).text;
  }

  /** Also earlier turns, whose digits go on in this one. */
  #user(
    message: Exclude<ChatMessage, { role: "call" }>,
    turn: number,
    messages: readonly ChatMessage[],
    { language, turns, result }: { language: string; turns: SpokenTurns; result: ChatMessage[] },
  ): void {
    const notes = NOTES.exec(message.content)?.[0] ?? "";
    const text = message.content.slice(notes.length);
    const heard = { turn, startMs: 0, endMs: 0, text, words: [], confidence: 1, language };
    const said = messages.slice(0, turn).findLast(({ role }) => role === "assistant")?.content ?? "";
    result.push({ ...message, content: this.#text(notes, "caller", language) });
    for (const { heard: each, hidden } of turns.add(heard, said)) {
      const own = result[each.turn];
      const head = NOTES.exec(own?.content ?? "")?.[0] ?? "";
      if (own !== undefined) result[each.turn] = { ...own, content: head + masked(each.text, hidden, this.#label) };
    }
  }
}

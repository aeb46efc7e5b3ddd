import type { SessionSettings } from "../../config/settings/session-settings.ts";
import type { VoiceConfiguration } from "../../config/voice-configuration.ts";
import type { ChatMessage } from "../../engines/llm/language-model.ts";
import type { Language } from "../../language/language.ts";
import { wordsOf } from "../../language/words.ts";
import type { ToolRunner } from "../tool-calls/tool-runner.ts";
import type { ReplyRequest } from "./reply-requests.ts";
import type { History } from "./text/history.ts";
import { callerNote, systemPrompt } from "./text/prompt.ts";
import { replyStyle, type ReplyStyle } from "./text/reply-settings.ts";
import type { UnclearWords } from "./text/unclear-words.ts";

/** Stands for the caller's words in a prompt without any. */
const NO_WORDS = "(The caller says nothing.)";
/** Stands before the words of a caller who spoke before they heard the answer to a call. */
const UNHEARD = "(The caller has not heard the result yet.)";

export interface ReplyPromptOptions {
  readonly voice: VoiceConfiguration;
  readonly settings: () => SessionSettings;
  readonly language: () => Language;
  /** The language that the recogniser heard. Undefined: the configuration decides how replies are written. */
  readonly heardLanguage: () => string | undefined;
  readonly tools: ToolRunner;
}

/** Writes the prompts of replies: the system message, the conversation, and the notes of time and circumstances. */
export class ReplyPrompt {
  readonly #history: History;
  readonly #unclear: UnclearWords;
  readonly #options: ReplyPromptOptions;
  /** Wall-clock time in this turn's prompts. Frozen per turn, so that a minute change does not invalidate the prefill or the prepared reply. */
  #note: string;

  constructor(history: History, unclear: UnclearWords, options: ReplyPromptOptions) {
    this.#history = history;
    this.#unclear = unclear;
    this.#options = options;
    this.#note = this.#timeNote();
  }

  /** A turn begins: its prompts have the time of now. */
  newTurn(): void {
    this.#note = this.#timeNote();
  }

  /** The lines before the caller's words. */
  get wordsNote(): string {
    const unheard = this.#history.hasUnheardResult ? UNHEARD : undefined;
    return [this.#note, unheard, this.#unclear.note].filter((line) => line !== undefined).join("\n");
  }

  /** The conversation so far. */
  now(): ChatMessage[] {
    return this.#withNote(this.#history.prompt(this.#system()));
  }

  /** The conversation if the caller's next words were `said`. */
  ahead(said: string): ChatMessage[] {
    return this.#withNote(this.#history.promptAhead(this.#system(), said, this.wordsNote));
  }

  /** The messages of a reply that was asked for. */
  requested({ messages: own, instructions, settings }: ReplyRequest): ChatMessage[] {
    const system = this.#system(settings);
    const messages = own ?? this.#history.prompt(system).slice(1);
    const last = messages.at(-1);
    const said = last?.role === "user" ? last.content : "";
    const asked = instructions ? `(${instructions})` : "";
    const isResult = last?.role === "call";
    // Speech brings its own note. Written words need one too, or the model does not know the time.
    const isNoted = own !== undefined || isResult || said.includes(this.#note);
    if (!isNoted) this.#note = this.#timeNote();
    const content = [isNoted ? "" : this.#note, said, said === "" && asked === "" ? NO_WORDS : asked].filter(Boolean);
    const before = last?.role === "user" ? messages.slice(0, -1) : messages;
    const prompt = this.#withNote([{ role: "system", content: system }, ...before]);
    // The model expects words of the caller or a call's result last.
    if (!isResult || asked !== "") prompt.push({ role: "user", content: content.join("\n") });
    return prompt;
  }

  /** Configured tools are not for replies outside the conversation, because their results would have no answer. */
  style({ isSide = false, settings: own }: ReplyRequest = {}): ReplyStyle {
    const { voice, settings, tools } = this.#options;
    const { toolChoice, ...reply } = { ...settings().reply, ...own };
    const configured = isSide ? [] : tools.definitions;
    return replyStyle(voice, {
      ...reply,
      tools: [...configured, ...reply.tools.filter(({ name }) => isSide || !tools.has(name))],
      toolChoice: tools.mayCall ? toolChoice : "none",
    });
  }

  #timeNote(): string {
    return this.#options.language().timeNote(new Date(), this.#options.voice.timezone);
  }

  #withNote([system, ...messages]: readonly ChatMessage[]): ChatMessage[] {
    const { settings, heardLanguage } = this.#options;
    return [system, callerNote(settings(), heardLanguage()), ...messages].filter((message) => message !== undefined);
  }

  #system(more: ReplyRequest["settings"] = {}): string {
    const { voice, settings } = this.#options;
    const current = settings();
    return systemPrompt(voice, { ...current, reply: { ...current.reply, ...more } });
  }
}

/** Whether both prompts ask the same. Case and punctuation of the newest message do not count. */
export function sameConversation(before: readonly ChatMessage[], now: readonly ChatMessage[]): boolean {
  return (
    before.length === now.length &&
    before.every(({ role, content }, index) => {
      const other = now[index];
      if (other === undefined || role !== other.role) return false;
      return index === now.length - 1 ? spoken(content) === spoken(other.content) : content === other.content;
    })
  );
}

const spoken = (text: string): string => wordsOf(text).join(" ");

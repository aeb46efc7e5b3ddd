import type { LanguageModel, LanguageSession, ToolCall, ToolDefinition } from "../../src/engines/llm/language-model.ts";
import { voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";
import { History } from "../../src/conversation/reply/text/history.ts";
import { systemPrompt } from "../../src/conversation/reply/text/prompt.ts";
import { writeReply } from "../../src/conversation/reply/text/write-reply.ts";
import { KeptValues } from "../../src/conversation/facts/kept-values.ts";
import { askedCall, Confirmation } from "../../src/conversation/tool-calls/confirmation.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings/session-settings.ts";
import { rethrowFault } from "../../src/shared/errors.ts";
import { english } from "../../src/language/packs/en/en.ts";

/** The date is fixed, so that equal weights give equal replies. */
const MOMENT = new Date(2026, 10, 20, 15, 41);
/** Rounds of calls in one turn. */
const MOST_ROUNDS = 3;

export interface Assistant {
  readonly system_prompt: string;
  readonly facts: readonly string[];
  readonly tools: readonly ToolDefinition[];
  /** Tools that run only after the caller's yes. */
  readonly confirmed?: ReadonlySet<string>;
}

/** Carries out a call. Returns the result as the language model reads it. */
export type Run = (call: ToolCall) => string;

/** A conversation with the language model alone, in the prompt of the server: no audio. */
export class TypedCall {
  readonly #session: LanguageSession;
  readonly #assistant: Assistant;
  readonly #run: Run;
  readonly #history = new History();
  readonly #system: string;
  readonly #confirmation = new Confirmation();
  readonly #kept = new KeptValues();
  #turns = 0;
  #lastReply = "";

  constructor(llm: LanguageModel, assistant: Assistant, run: Run) {
    this.#session = llm.open();
    this.#assistant = assistant;
    this.#run = run;
    const { system_prompt, facts } = assistant;
    this.#system = systemPrompt(
      voiceConfigurationSchema.parse({ config_id: "typed", system_prompt, facts }),
      DEFAULT_SETTINGS,
    );
  }

  /** The words of the reply, after all of its calls. `over`: the caller heard only the beginning of the reply before. */
  async say(words: string, over = false): Promise<string> {
    if (over) {
      const heard = this.#lastReply.split(" ").slice(0, 2).join(" ");
      this.#history.addAssistant(heard, `reply ${String(this.#turns)}`, { text: this.#lastReply, spans: [] });
    }
    this.#history.addUser(words, english.timeNote(MOMENT, "UTC"));
    this.#turns += 1;
    const agreed = this.#confirmation.take(words, english);
    if (agreed !== undefined) this.#carryOut(agreed);
    let spoken = "";
    for (let round = 0; round <= MOST_ROUNDS; round += 1) {
      const { text, calls } = await this.#reply(round < MOST_ROUNDS);
      spoken = `${spoken} ${text}`.trim();
      if (text !== "") this.#history.addAssistant(text, calls.length === 0 ? `reply ${String(this.#turns)}` : "");
      for (const call of calls) this.#carryOut(call);
      if (calls.length === 0) break;
    }
    this.#lastReply = spoken;
    return spoken;
  }

  close(): void {
    this.#session.close();
  }

  #carryOut(call: ToolCall): void {
    this.#history.insertCall(call);
    this.#history.setResult(call.id, this.#run(call));
  }

  async #reply(mayCall: boolean): Promise<{ text: string; calls: ToolCall[] }> {
    const request = {
      messages: this.#history.prompt(this.#system),
      tools: this.#assistant.tools,
      toolChoice: mayCall ? ("auto" as const) : ("none" as const),
      maxTokens: 240,
      temperature: 0,
    };
    let text = "";
    const calls: ToolCall[] = [];
    const options = {
      isHeard: (words: string) => english.speakable(words) !== "",
      mayBeEmpty: false,
      language: english,
      kept: this.#kept,
      readBack: (call: ToolCall, isDoubtful: boolean) => this.#readBack(call, isDoubtful),
    };
    try {
      for await (const piece of writeReply(this.#session, request, new AbortController().signal, options)) {
        if (typeof piece === "string") text += piece;
        else if ("question" in piece) {
          text += ` ${piece.question}`;
          this.#confirmation.wait(piece.call);
        } else calls.push(piece);
      }
    } catch (error) {
      // A caller hears an excuse in place of a failed reply.
      rethrowFault(error);
      text += ` ${english.excuse}`;
    }
    return { text: text.trim(), calls };
  }

  #readBack(call: ToolCall, isDoubtful: boolean) {
    const definition = this.#assistant.tools.find(({ name }) => name === call.name);
    const confirm = this.#assistant.confirmed?.has(call.name) === true || undefined;
    return definition && askedCall(call, { definition, confirm }, isDoubtful, english);
  }
}

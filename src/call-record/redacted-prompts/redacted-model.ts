import type { RedactionKind } from "../../config/call-record-settings.ts";
import type { GenerateRequest, LanguageModel, LanguageSession, ToolCall } from "../../engines/llm/language-model.ts";
import { OakError } from "../../shared/errors.ts";
import { openPlaceholder, Placeholders } from "./placeholders.ts";
import { PromptRedaction } from "./redacted-prompt.ts";

/**
 * The model gets prompts without what identifies people, and its replies get the values back: the caller hears them, and tools get
 * them. The values stay in this process.
 * @param language Primary BCP-47 tag of the language that is spoken now.
 */
export function redactedModel(
  model: LanguageModel,
  kinds: readonly RedactionKind[],
  language: () => string,
): LanguageModel {
  return {
    open: (beginning) => new RedactedSession(model.open(beginning), kinds, language),
    ...(model.openBackground === undefined
      ? {}
      : {
          openBackground: (beginning) =>
            new RedactedSession(model.openBackground?.(beginning) ?? model.open(beginning), kinds, language),
        }),
    close: () => model.close(),
  };
}

class RedactedSession implements LanguageSession {
  readonly #session: LanguageSession;
  readonly #placeholders = new Placeholders();
  readonly #prompt: PromptRedaction;

  constructor(session: LanguageSession, kinds: readonly RedactionKind[], language: () => string) {
    this.#session = session;
    this.#prompt = new PromptRedaction(kinds, this.#placeholders, language);
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<string | ToolCall> {
    let held = "";
    for await (const piece of this.#session.generate(this.#prompt.redacted(request), signal)) {
      if (typeof piece !== "string") {
        if (held !== "") yield this.#spoken(held);
        held = "";
        yield this.#call(piece);
        continue;
      }
      const text = held + piece;
      const end = openPlaceholder(text);
      held = text.slice(end);
      // Also an empty one: the reply counts the model's pieces.
      yield this.#spoken(text.slice(0, end));
    }
    if (held !== "") yield this.#spoken(held);
  }

  prefill(prompt: Parameters<LanguageSession["prefill"]>[0], signal: AbortSignal): Promise<void> {
    return this.#session.prefill(this.#prompt.redacted(prompt), signal);
  }

  close(): void {
    this.#session.close();
  }

  #spoken = (text: string): string => this.#placeholders.restore(text, "text").text;

  /** @throws OakError `LLM_CALL_UNREADABLE` for a placeholder that the model made up: no tool may get it as a value. */
  #call(call: ToolCall): ToolCall {
    let isUnknown = false;
    const restore = (_key: string, value: unknown): unknown => {
      if (typeof value !== "string") return value;
      const restored = this.#placeholders.restore(value, "written");
      isUnknown ||= restored.isUnknown;
      return restored.text;
    };
    const args = JSON.stringify(JSON.parse(call.arguments, restore));
    if (isUnknown)
      throw new OakError("A call has a placeholder that stands for nothing.", { code: "LLM_CALL_UNREADABLE" });
    return { ...call, arguments: args };
  }
}

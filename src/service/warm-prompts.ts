import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { sharedPrompt } from "../conversation/reply/text/prompt.ts";
import { MAX_SAVED } from "../engines/llm/llama/shared-beginnings.ts";
import type { LanguageModel, ToolDefinition } from "../engines/llm/language-model.ts";
import { errorCode, rethrowFault } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { Tasks } from "../shared/tasks.ts";

type Models = (voice: VoiceConfiguration) => LanguageModel;
type Definitions = (voice: VoiceConfiguration) => readonly ToolDefinition[];

/**
 * Evaluates the beginning of each voice configuration's prompts before its first call. Without it, the first reply of a model of 1.5
 * billion weights began after 14 s on one core: it had to read the instructions and the built-in tools.
 */
export class WarmPrompts {
  readonly #tools: Definitions;
  readonly #log: Log;
  readonly #tasks = new Tasks(rethrowFault);
  #models: Models | undefined;
  #voices: readonly VoiceConfiguration[] = [];
  #scope = new AbortController();

  constructor(tools: Definitions, log: Log) {
    this.#tools = tools;
    this.#log = log;
  }

  /** The language models are ready. */
  start(models: Models): void {
    this.#models = models;
    this.use(this.#voices);
  }

  /** Takes the configurations that are now in force. */
  use(voices: readonly VoiceConfiguration[]): void {
    this.#voices = voices;
    this.#scope.abort();
    this.#scope = new AbortController();
    if (this.#models !== undefined) this.#tasks.own(this.#warm(this.#models, this.#scope.signal));
  }

  async close(): Promise<void> {
    this.#scope.abort();
    await this.#tasks.settled();
  }

  async #warm(models: Models, signal: AbortSignal): Promise<void> {
    // More would replace one another.
    for (const voice of this.#voices.slice(0, MAX_SAVED)) {
      if (signal.aborted) return;
      const [system, tools] = [sharedPrompt(voice), this.#tools(voice)];
      try {
        const llm = models(voice);
        const session = llm.openBackground?.({ system, tools }) ?? llm.open({ system, tools });
        try {
          const messages = [{ role: "system", content: system } as const, { role: "user", content: "." } as const];
          await session.prefill({ messages, tools, toolChoice: "auto" }, signal);
        } finally {
          session.close();
        }
      } catch (error) {
        rethrowFault(error);
        // The first call does it, and reports what is wrong.
        this.#log.debug({ code: errorCode(error), config: voice.config_id }, "the prompt was not evaluated ahead");
      }
    }
  }
}

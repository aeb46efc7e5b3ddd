import { askEngine } from "../../engines/ask-engine.ts";
import type { LanguageSession } from "../../engines/llm/language-model.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { errorCode, errorMessage, rethrowFault } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import type { Serial } from "../../shared/serial.ts";
import type { Tasks } from "../../shared/tasks.ts";
import type { ReplyPrompt } from "./reply-prompt.ts";

export interface PrefillOptions {
  readonly chat: LanguageSession;
  readonly prompt: ReplyPrompt;
  /** The language model takes one request at a time. */
  readonly generating: Serial;
  readonly signal: AbortSignal;
  readonly tasks: Tasks;
  readonly log: Log;
  /** The voice configuration. */
  readonly configId: string;
}

/** Evaluates the prompt of the next reply before its words are known. When that fails, the reply is only slower. */
export class Prefill {
  readonly #options: PrefillOptions;
  #running: AbortScope | undefined;

  constructor(options: PrefillOptions) {
    this.#options = options;
  }

  start(): void {
    const { tasks, log, configId } = this.#options;
    const work = this.#run().catch((error: unknown) => {
      rethrowFault(error);
      const code = errorCode(error);
      // The operator must shorten the configuration's prompt or its tools, or give the model more context.
      if (code === "LLM_PROMPT_TOO_LONG") log.warn({ code, config: configId }, errorMessage(error));
      else log.debug({ code }, "prefill did not finish");
    });
    tasks.own(work);
  }

  stop(): void {
    this.#running?.abort();
  }

  async #run(): Promise<void> {
    const { chat, prompt, generating, signal } = this.#options;
    this.stop();
    using scope = new AbortScope(signal);
    this.#running = scope;
    await generating.run(async () => {
      if (scope.signal.aborted) return;
      const { tools, toolChoice } = prompt.style();
      const request = { messages: prompt.ahead(""), tools, toolChoice };
      await askEngine(() => chat.prefill(request, scope.signal), 0);
    });
  }
}

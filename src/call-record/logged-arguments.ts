import type { SessionEvent } from "../conversation/events.ts";
import { redactJson } from "./redaction/redact-json.ts";
import { Redactor, type RedactionContext } from "./redaction/redactor.ts";

/** Arguments of calls of tools for the log, without what identifies people. Names that the caller gave are hidden in them too. */
export class LoggedArguments {
  readonly #redactor = new Redactor();
  readonly #language: () => string;

  /** @param language Primary BCP-47 tag of the language that is spoken now. */
  constructor(language: () => string) {
    this.#language = language;
  }

  take(event: SessionEvent): void {
    if (event.type === "turn-ended") this.#redactor.redact(event.transcript.accumulated, this.#context);
  }

  text(args: string): string {
    return redactJson(args, this.#redactor, this.#context);
  }

  get #context(): RedactionContext {
    return { speaker: "caller", language: this.#language() };
  }
}

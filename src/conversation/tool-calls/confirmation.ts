import type { ToolCall } from "../../engines/llm/language-model.ts";
import { argumentsIn } from "../../engines/llm/tool-call-format/call-form.ts";
import type { Language } from "../../language/language.ts";
import { inWords, spokenValues } from "../facts/labels.ts";
import type { Tool } from "./tool.ts";

/** A call that waits for the caller's yes, and the question that they hear. */
export interface AskedCall {
  readonly call: ToolCall;
  readonly question: string;
}

/** Longer values cannot be confirmed by ear. */
const MAX_VALUES_CHARS = 600;

/** The act of the tool with all values. Undefined when it may run at once. The program writes it, so that it is true. */
export function askedCall(
  call: ToolCall,
  tool: Pick<Tool, "definition" | "confirm"> | undefined,
  isDoubtful: boolean,
  { facts }: Language,
): AskedCall | undefined {
  if (tool === undefined || !(tool.confirm ?? isDoubtful)) return undefined;
  const { name } = tool.definition;
  const act = typeof tool.confirm === "string" ? tool.confirm : inWords(name);
  const list = spokenValues(argumentsIn(call.arguments), tool.definition, facts).slice(0, MAX_VALUES_CHARS);
  return { call, question: facts.readBack(act.charAt(0).toUpperCase() + act.slice(1), list) };
}

/** Keeps the call that waits for a yes. Only the caller's next words count. */
export class Confirmation {
  #waiting: ToolCall | undefined;

  get waiting(): ToolCall | undefined {
    return this.#waiting;
  }

  /** Undefined: no call waits. */
  wait(call: ToolCall | undefined): void {
    this.#waiting = call;
  }

  isAnsweredBy(words: string, { facts }: Language): boolean {
    return this.#waiting !== undefined && facts.agrees(words);
  }

  /** The call, if these words agree to it. It waits no more. */
  take(words: string, language: Language): ToolCall | undefined {
    const call = this.isAnsweredBy(words, language) ? this.#waiting : undefined;
    this.#waiting = undefined;
    return call;
  }
}

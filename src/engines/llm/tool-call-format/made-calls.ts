import { randomBytes } from "node:crypto";
import type { Arguments } from "./call-syntax.ts";
import type { ChatMessage, ToolCall } from "../language-model.ts";

/** Calls of one reply. Small models can repeat themselves until the context is full. */
const MAX_CALLS = 8;

/** The calls of one reply. */
export class MadeCalls {
  readonly #made = new Set<string>();
  /** The call whose result is the last message. A weak model makes it again instead of an answer. */
  readonly #answered: string | undefined;

  constructor(messages: readonly ChatMessage[]) {
    const last = messages.at(-1);
    if (last?.role === "call") this.#answered = JSON.stringify([last.name, last.arguments]);
  }

  get count(): number {
    return this.#made.size;
  }

  /** Undefined: a call that repeats an earlier one, or one too many. A model that repeats a call does not stop by itself. */
  add(name: string, args: Arguments): ToolCall | undefined {
    const text = JSON.stringify(args);
    const key = JSON.stringify([name, text]);
    if (this.#made.size >= MAX_CALLS || this.#made.has(key) || key === this.#answered) return undefined;
    this.#made.add(key);
    // Servers number the calls of each reply anew, but a conversation needs different ids.
    return { id: `call_${randomBytes(10).toString("hex")}`, name, arguments: text };
  }
}

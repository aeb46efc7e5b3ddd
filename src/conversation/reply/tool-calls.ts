import { randomBytes } from "node:crypto";
import { z } from "zod";

/** A function that the client carries out for the language model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: unknown;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** The form in which Qwen and Hermes models were trained to call functions. Most others follow it when the prompt describes it. */
const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";
/** A message of the history is not much longer. */
const MOST_RESULT_CHARS = 3_500;
/** Longest call. A longer one is dropped. */
const MOST_CHARS = 16_000;

/** Lines of the system message. Empty without tools. */
export function toolPrompt(tools: readonly ToolDefinition[], choice: ToolChoice): string {
  if (tools.length === 0 || choice === "none") return "";
  const must = choice === "auto" ? [] : [`Call ${choice === "required" ? "a function" : choice.name} now.`];
  return [
    "You can call these functions:",
    ...tools.map((tool) => JSON.stringify({ type: "function", function: tool })),
    `To call one, write only ${OPEN}{"name": "NAME", "arguments": {...}}${CLOSE}. Its result follows as a message. Do not guess a result.`,
    ...must,
  ].join("\n");
}

/** A call and a result, as messages of the prompt. */
export const toolCallText = ({ name, arguments: args }: Pick<ToolCall, "name" | "arguments">): string =>
  `${OPEN}\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n${CLOSE}`;
export const toolResultText = (output: string): string =>
  `<tool_response>\n${output.slice(0, MOST_RESULT_CHARS)}\n</tool_response>`;

const callSchema = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });

/** Separates the calls in a reply's text from the words that are spoken. */
export class ToolCallReader {
  readonly #names: ReadonlySet<string>;
  #held = "";
  #isInside = false;

  constructor(tools: readonly ToolDefinition[]) {
    this.#names = new Set(tools.map(({ name }) => name));
  }

  /** The words and calls that are complete with this piece of text. */
  push(piece: string): { readonly text: string; readonly calls: readonly ToolCall[] } {
    if (this.#names.size === 0) return { text: piece, calls: [] };
    this.#held += piece;
    let text = "";
    const calls: ToolCall[] = [];
    for (;;) {
      const tag = this.#isInside ? CLOSE : OPEN;
      const at = this.#held.indexOf(tag);
      if (at < 0) break;
      const before = this.#held.slice(0, at);
      this.#held = this.#held.slice(at + tag.length);
      if (this.#isInside) calls.push(...this.#read(before));
      else text += before;
      this.#isInside = !this.#isInside;
    }
    if (this.#isInside) this.#held = this.#held.slice(0, MOST_CHARS);
    else text += this.#release();
    return { text, calls };
  }

  /** The rest of the text. Some models do not close their last call. */
  flush(): { readonly text: string; readonly calls: readonly ToolCall[] } {
    const rest = this.#held;
    this.#held = "";
    return this.#isInside ? { text: "", calls: this.#read(rest) } : { text: rest, calls: [] };
  }

  /** Text that cannot be the beginning of a tag. */
  #release(): string {
    let kept = Math.min(this.#held.length, OPEN.length - 1);
    while (!OPEN.startsWith(this.#held.slice(this.#held.length - kept))) kept -= 1;
    const text = this.#held.slice(0, this.#held.length - kept);
    this.#held = this.#held.slice(this.#held.length - kept);
    return text;
  }

  /** Nothing for an unknown function and for text that is not a call. */
  #read(text: string): readonly ToolCall[] {
    try {
      const { name, arguments: args } = callSchema.parse(JSON.parse(text));
      if (!this.#names.has(name)) return [];
      return [{ id: `call_${randomBytes(10).toString("hex")}`, name, arguments: JSON.stringify(args) }];
    } catch {
      return [];
    }
  }
}

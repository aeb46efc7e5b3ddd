/** A function that the language model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: unknown;
}

/** "required": the reply begins with a call. A name: with a call of that tool. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON that fits the tool's parameters. */
  readonly arguments: string;
}

export type ChatMessage =
  | {
      readonly role: "system" | "user" | "assistant";
      readonly content: string;
      /** Stays when older turns are left out. Merged with the next user message in the prompt. */
      readonly isPinned?: true;
    }
  /** A tool call with its result. */
  | {
      readonly role: "call";
      readonly name: string;
      /** JSON. */
      readonly arguments: string;
      /** The result. The model reads it as data. */
      readonly content: string;
      /** The call waits for the caller's yes, or did not get it. */
      readonly isDone?: false;
    };

export interface Prompt {
  /**
   * System message first, then user and assistant alternately, with calls between them, and a user message or a call last. The
   * oldest turns are left out when the context is full.
   */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
}

/** For a prompt whose reply is only text. */
export const noTools = { tools: [], toolChoice: "none" } as const;

/** For models whose own temperature is not known. */
export const DEFAULT_TEMPERATURE = 0.6;

export interface GenerateRequest extends Prompt {
  readonly maxTokens: number;
  /** 0 is greedy. Undefined: the model's own. */
  readonly temperature?: number | undefined;
}

/** The common beginning of the prompts of a voice configuration's callers. It must not contain a caller's words. */
export interface Beginning {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
}

/** Only the words of a reply. */
export async function* textOf(pieces: AsyncIterable<string | ToolCall>): AsyncGenerator<string> {
  for await (const piece of pieces) if (typeof piece === "string") yield piece;
}

/** One caller's cached sequence. One request at a time; on abort it rejects with `signal.reason` within 50 ms. */
export interface LanguageSession {
  /** Yields text and calls as they are generated, up to the end-of-turn token or `maxTokens`. Nothing of a call is ever text. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<string | ToolCall>;
  /** Evaluates a prompt ahead of time so that `generate` with the same beginning starts faster. */
  prefill(prompt: Prompt, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface LanguageModel {
  /** `beginning` is evaluated once and shared by the callers of its voice configuration. */
  open(beginning?: Beginning): LanguageSession;
  /**
   * For work that no caller waits for. A reply pauses while callers use the model. All work ends with `LLM_BUSY` when a caller needs its
   * place. Absent: use `open`.
   */
  openBackground?(beginning?: Beginning): LanguageSession;
  close(): Promise<void>;
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface GenerateRequest {
  /** System first, then user and assistant in turn, last one from the user. Oldest turns are left out when the context is full. */
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
}

/** One caller's cached sequence. One request at a time; on abort it rejects with `signal.reason` within 50 ms. */
export interface LanguageSession {
  /** Pieces of text as they are generated; ends at the end-of-turn token or `maxTokens`. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<string>;
  /** Evaluates a prompt ahead of time so that `generate` with the same beginning starts faster. */
  prefill(messages: readonly ChatMessage[], signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface LanguageModel {
  /**
   * `beginning`: the text that the system message of every caller of a voice configuration begins with. It is evaluated
   * once and shared by these callers, so it must hold no caller's words.
   */
  open(beginning?: string): LanguageSession;
  close(): Promise<void>;
}

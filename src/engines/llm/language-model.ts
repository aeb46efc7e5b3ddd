export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface GenerateRequest {
  /** System message first, then user and assistant alternately, a user message last. The oldest turns are left out when the context is full. */
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
}

/** One caller's cached sequence. One request at a time; on abort it rejects with `signal.reason` within 50 ms. */
export interface LanguageSession {
  /** Yields text as it is generated, up to the end-of-turn token or `maxTokens`. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<string>;
  /** Evaluates a prompt ahead of time so that `generate` with the same beginning starts faster. */
  prefill(messages: readonly ChatMessage[], signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface LanguageModel {
  /**
   * `beginning`: the common beginning of the system messages of all callers of a voice configuration. It is evaluated once and
   * shared by these callers, so it must not contain a caller's words.
   */
  open(beginning?: string): LanguageSession;
  close(): Promise<void>;
}

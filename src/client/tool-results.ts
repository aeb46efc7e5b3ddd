/** Results that are kept for calls that may be asked again. */
const MOST_KEPT = 100;

export interface CallResult {
  readonly output: string;
  readonly isError: boolean;
}

/** The calls that the client carries out. After a resume the server asks again for those without a result, so each must run only once. */
export class ToolResults {
  readonly #calls = new Map<string, CallResult | undefined>();

  /** "new": carry it out. "running": its result comes later. Otherwise the result that it had. */
  ask(callId: string): CallResult | "new" | "running" {
    if (this.#calls.has(callId)) return this.#calls.get(callId) ?? "running";
    this.#keep(callId, undefined);
    return "new";
  }

  give(callId: string, result: CallResult): void {
    this.#keep(callId, result);
  }

  clear(): void {
    this.#calls.clear();
  }

  #keep(callId: string, result: CallResult | undefined): void {
    this.#calls.set(callId, result);
    const [oldest] = this.#calls;
    if (this.#calls.size > MOST_KEPT && oldest !== undefined) this.#calls.delete(oldest[0]);
  }
}

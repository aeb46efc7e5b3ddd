/** More tokens at once are hardly faster. */
const MOST_TOKENS = 128;
/** Fewer tokens at once take a third more time. Background work has so few: a caller's request waits for a chunk of it. */
export const LEAST_TOKENS = 32;
/** An aborted request and the other callers wait for at most one chunk. */
const CHUNK_MS = 400;
/** Chunks that waited for another caller's say little of the model's pace. */
const FORGET = 0.9;

/** Decides how many tokens of a prompt are evaluated between two checks of the abort signal, and between two tokens of other callers. */
export class PromptPace {
  /** The pace in the fastest chunks so far. */
  #tokensPerMs = 0;

  get chunkTokens(): number {
    return Math.min(MOST_TOKENS, Math.max(LEAST_TOKENS, Math.floor(this.#tokensPerMs * CHUNK_MS)));
  }

  evaluated(tokens: number, ms: number): void {
    // A short chunk costs more for each token.
    if (tokens >= LEAST_TOKENS && ms > 0) this.#tokensPerMs = Math.max(this.#tokensPerMs * FORGET, tokens / ms);
  }
}

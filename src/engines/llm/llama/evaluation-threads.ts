/** The part of node-llama-cpp's `Llama` that sets the threads of the next evaluation. */
interface ThreadLimit {
  maxThreads: number;
}

/** The end of a clause: from here on the voice works beside the language model. */
const CLAUSE = /[.,;:!?…。，；：！？]|^.{40}/u;

/**
 * Gives prompts more threads than replies: docs/decisions/0070-thread-budget.md. The first clause of a reply keeps the threads of its
 * prompt while no other request runs, because nothing is there to be spoken yet. So does a call.
 */
export class EvaluationThreads {
  /** Threads of a reply, at most those of a prompt. */
  reply: number;
  readonly #limit: ThreadLimit;
  readonly #prompt: number;
  #running = 0;
  /** Requests that use the threads of a prompt. */
  #wide = 0;

  constructor(limit: ThreadLimit, prompt: number, reply: number) {
    this.#limit = limit;
    this.#prompt = prompt;
    this.reply = reply;
  }

  /** Yields the pieces of an evaluation. The prompt is complete at the first non-empty piece. */
  async *during<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    let isWide = true;
    let clause = "";
    const narrow = () => {
      if (isWide) this.#widen(-1);
      isWide = false;
    };
    this.#running += 1;
    this.#widen(1);
    try {
      for await (const piece of pieces) {
        if (typeof piece === "string") clause += piece;
        if (clause !== "" && (this.#running > 1 || CLAUSE.test(clause))) narrow();
        yield piece;
      }
    } finally {
      this.#running -= 1;
      narrow();
    }
  }

  #widen(change: 1 | -1): void {
    this.#wide += change;
    this.#limit.maxThreads = this.#wide > 0 ? this.#prompt : Math.min(this.reply, this.#prompt);
  }
}

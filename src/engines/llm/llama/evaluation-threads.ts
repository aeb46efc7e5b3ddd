/** The part of node-llama-cpp's `Llama` that sets the threads of the next evaluation. */
interface ThreadLimit {
  maxThreads: number;
}

/** Gives prompts more threads than replies: docs/decisions/0070-thread-budget.md. */
export class EvaluationThreads {
  /** Threads of a reply, at most those of a prompt. */
  reply: number;
  readonly #limit: ThreadLimit;
  readonly #prompt: number;
  #reading = 0;

  constructor(limit: ThreadLimit, prompt: number, reply: number) {
    this.#limit = limit;
    this.#prompt = prompt;
    this.reply = reply;
  }

  /** Yields the pieces of an evaluation. The prompt is complete at the first non-empty piece. */
  async *during<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    let isReading = true;
    const stopReading = () => {
      if (isReading) this.#read(-1);
      isReading = false;
    };
    this.#read(1);
    try {
      for await (const piece of pieces) {
        if (piece !== "") stopReading();
        yield piece;
      }
    } finally {
      stopReading();
    }
  }

  #read(change: 1 | -1): void {
    this.#reading += change;
    this.#limit.maxThreads = this.#reading > 0 ? this.#prompt : Math.min(this.reply, this.#prompt);
  }
}

/** Background work. Failures go to one handler, and the owner can wait for all of it. */
export class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  own(work: Promise<unknown>): void {
    const owned = work.then(() => undefined, this.#onFailure).finally(() => this.#running.delete(owned));
    this.#running.add(owned);
  }

  /** Resolves when all work that was added so far has settled. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}

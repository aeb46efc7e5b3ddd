/** Work that somebody answers for until it settles. */
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

  /** Resolves when all that was owned by now has settled. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}

/** Counts the running calls of engines, so that a test can wait for them before it moves its clock. */
export class InFlight {
  #calls = 0;

  /** The same engine with counted calls. Sessions that it opens are counted too. */
  watch<Engine extends object>(engine: Engine): Engine {
    return new Proxy(engine, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => this.#follow(Reflect.apply(value, target, args) as unknown);
      },
    });
  }

  /** Resolves when all calls and their follow-up calls are answered. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#calls > 0 ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
  }

  #follow(result: unknown): unknown {
    if (result instanceof Promise) return this.#count(result);
    if (typeof result !== "object" || result === null) return result;
    return Symbol.asyncIterator in result ? this.#each(result as AsyncIterable<unknown>) : this.watch(result);
  }

  async *#each(items: AsyncIterable<unknown>): AsyncIterable<unknown> {
    const iterator = items[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.#count(iterator.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await this.#count(Promise.resolve(iterator.return?.()));
    }
  }

  async #count<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls += 1;
    try {
      return await call;
    } finally {
      this.#calls -= 1;
    }
  }
}

interface Reader<Item> {
  // Methods, so that a queue of one kind of item is also a queue of a wider kind.
  resolve(result: IteratorResult<Item, undefined>): void;
  reject(error: unknown): void;
}

/** Items in order, for readers that wait for them. Holds any number of items: the sender sets the limit. Runs in browsers. */
export class AsyncQueue<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #items: Item[] = [];
  readonly #readers: Reader<Item>[] = [];
  #end: { readonly error?: unknown } | undefined;

  /** Unread items. */
  get size(): number {
    return this.#items.length;
  }

  /** Does nothing after the end. */
  push(item: Item): void {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#items.push(item);
    else reader.resolve({ done: false, value: item });
  }

  /** Unread items can still be read. After them comes the end, or the error. */
  end(failure: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = failure;
    for (const reader of this.#readers.splice(0)) {
      if ("error" in failure) reader.reject(failure.error);
      else reader.resolve({ done: true, value: undefined });
    }
  }

  /** Drops unread items, even those of a queue that has ended. */
  fail(error: unknown): void {
    if (this.#end !== undefined && "error" in this.#end) return;
    this.#items.length = 0;
    this.end({ error });
    this.#end = { error };
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#items.length > 0) return { done: false, value: this.#items.shift()! };
    if (this.#end === undefined) return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
    if ("error" in this.#end) throw this.#end.error;
    return { done: true, value: undefined };
  }

  /** The reader leaves: unread items are dropped. */
  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#items.length = 0;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

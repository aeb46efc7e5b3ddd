/** What one stream's reader has not taken yet. Bounded by the credit the sender is given, not here. */
export class ItemQueue<Item> {
  readonly #items: Item[] = [];
  #end: { readonly error: unknown } | "done" | undefined;
  #wake: (() => void) | undefined;

  get size(): number {
    return this.#items.length;
  }

  push(item: Item): void {
    if (this.#end === undefined) this.#items.push(item);
    this.#wake?.();
  }

  end(): void {
    this.#end ??= "done";
    this.#wake?.();
  }

  /** Items not yet read are dropped: a failed or aborted stream ends at once, even one that was complete. */
  fail(error: unknown): void {
    if (this.#end !== undefined && this.#end !== "done") return;
    this.#end = { error };
    this.#items.length = 0;
    this.#wake?.();
  }

  /** The next item, or undefined at the end. One reader. */
  async next(): Promise<{ readonly item: Item } | undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return { item };
      if (this.#end === "done") return undefined;
      if (this.#end !== undefined) throw this.#end.error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

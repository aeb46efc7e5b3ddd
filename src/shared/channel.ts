import { addAbortListener } from "node:events";

/**
 * An ordered hand-over from one producer to one consumer. `push` waits while `capacity` items lie unread,
 * so a slow consumer slows the producer. After `close` the consumer gets what is left, then the end.
 */
export class Channel<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  readonly #capacity: number;
  #closed = false;
  #wake: (() => void) | undefined;
  #room: (() => void) | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  async push(item: Item, signal: AbortSignal): Promise<void> {
    while (this.#items.length >= this.#capacity && !this.#closed) {
      signal.throwIfAborted();
      const room = new Promise<void>((resolve) => (this.#room = resolve));
      using _ = addAbortListener(signal, () => this.#room?.());
      await room;
    }
    signal.throwIfAborted();
    if (this.#closed) return;
    this.#items.push(item);
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
    this.#room?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) {
        this.#room?.();
        yield item;
      } else if (this.#closed) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }
}

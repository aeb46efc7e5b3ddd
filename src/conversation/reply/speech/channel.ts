import { addAbortListener } from "node:events";
import { AsyncQueue } from "../../../shared/async-queue.ts";

/** A queue from one producer to one consumer. `push` waits while `capacity` items are unread. */
export class Channel<Item> implements AsyncIterable<Item> {
  readonly #queue = new AsyncQueue<Item>();
  readonly #capacity: number;
  #closed = false;
  #room: (() => void) | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  async push(item: Item, signal: AbortSignal): Promise<void> {
    while (this.#queue.size >= this.#capacity && !this.#closed) {
      signal.throwIfAborted();
      const room = new Promise<void>((resolve) => (this.#room = resolve));
      using _ = addAbortListener(signal, () => this.#room?.());
      await room;
    }
    signal.throwIfAborted();
    this.#queue.push(item);
  }

  /** The consumer gets the unread items, then the end. */
  close(): void {
    this.#closed = true;
    this.#queue.end();
    this.#room?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const item of this.#queue) {
      this.#room?.();
      yield item;
    }
  }
}

import type { Item } from "./items.ts";

/** Older items leave the list; the language model has forgotten them earlier. */
const MOST_ITEMS = 200;

export interface KeptItem {
  item: Item;
  /** Its name in the session's history. */
  readonly key: string;
  /** Length of the speech that was sent, for spoken replies. */
  audioMs?: number;
}

/** The conversation's items in order. */
export class ItemList {
  readonly #items: KeptItem[] = [];

  get lastId(): string | null {
    return this.#items.at(-1)?.item.id ?? null;
  }

  find(id: string): KeptItem | undefined {
    return this.#items.find(({ item }) => item.id === id);
  }

  /** True when the list holds the call that this is the result of. */
  hasCall(callId: string): boolean {
    return this.#items.some(({ item }) => item.type === "function_call" && item.call_id === callId);
  }

  /** The id of the item before this one; null at the front. */
  before(id: string): string | null {
    const at = this.#items.findIndex(({ item }) => item.id === id);
    return this.#items[at - 1]?.item.id ?? null;
  }

  /** `afterId`: null adds it at the front; absent at the end. */
  add(kept: KeptItem, afterId: string | null | undefined = this.lastId): void {
    if (this.#items.length >= MOST_ITEMS) this.#items.shift();
    const at = afterId === null ? 0 : this.#items.findIndex(({ item }) => item.id === afterId) + 1;
    this.#items.splice(at, 0, kept);
  }

  remove(id: string): void {
    const at = this.#items.findIndex(({ item }) => item.id === id);
    if (at >= 0) this.#items.splice(at, 1);
  }
}

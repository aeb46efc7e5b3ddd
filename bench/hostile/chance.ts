import { seededRandom } from "../random.ts";

/** Choices that are the same for the same seed. */
export class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** From 0 to below `below`. */
  int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  happens(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.int(items.length)] ?? items[0];
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.int(256);
    return bytes;
  }

  /** Small much more often than large: the length of most things that break a parser. */
  size(most: number): number {
    return Math.floor(most ** this.#random());
  }
}

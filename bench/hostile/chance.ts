import { seededRandom } from "../../src/simulated-callers/random.ts";

/** Random choices that are equal for equal seeds. */
export class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from 0 to below `below`. */
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

  /** A length that is small much more often than large, as short input breaks most parsers. */
  size(most: number): number {
    return Math.floor(most ** this.#random());
  }
}

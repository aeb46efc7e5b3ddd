import { z } from "zod";
import { OnnxSession } from "../../onnx/onnx-session.ts";
import { Tensor } from "../../onnx/onnxruntime.ts";

const alphabet = z.object({
  letters: z.array(z.string()),
  sounds: z.array(z.string()),
  longest: z.int().positive(),
});

/** Words whose sounds are kept: names repeat within a call. */
const MOST_KEPT = 500;

/** A small network that reads words which the lexicon does not know. One query takes about a millisecond and blocks. */
export class UnknownWords {
  readonly #session: OnnxSession;
  readonly #numbers: ReadonlyMap<string, bigint>;
  readonly #sounds: readonly string[];
  readonly #longest: number;
  readonly #kept = new Map<string, string>();

  /** `facts`: unknown-words.json, parsed. */
  constructor(path: string, facts: unknown) {
    const { letters, sounds, longest } = alphabet.parse(facts);
    this.#session = new OnnxSession(path);
    this.#numbers = new Map(letters.map((letter, index) => [letter, BigInt(index + 1)]));
    this.#sounds = sounds;
    this.#longest = longest;
  }

  /** "" when no letter of the word is in the network's alphabet. */
  read(word: string): string {
    const kept = this.#kept.get(word);
    if (kept !== undefined) return kept;
    const numbers = Array.from(word).flatMap((letter) => this.#numbers.get(letter) ?? []);
    let sounds = "";
    for (let at = 0; at < numbers.length; at += this.#longest) {
      sounds += this.#query(numbers.slice(at, at + this.#longest));
    }
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(word, sounds);
    return sounds;
  }

  /** The network gives some numbers for each letter. Repeated numbers and blanks between them do not count. */
  #query(numbers: readonly bigint[]): string {
    const chars = new Tensor("int64", BigInt64Array.from(numbers), [1, numbers.length]);
    const ids = this.#session.run({ chars })["ids"]?.data;
    if (!(ids instanceof BigInt64Array)) throw new Error("it does not give numbers of sounds");
    return Array.from(ids)
      .filter((id, index) => id !== 0n && id !== ids[index - 1])
      .map((id) => this.#sounds[Number(id) - 1] ?? "")
      .join("");
  }
}

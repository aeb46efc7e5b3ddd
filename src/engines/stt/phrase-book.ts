import { letterSounds } from "../../language/en/letter-sounds.ts";
import { speakable } from "../../language/en/speakable.ts";
import type { NativePhrases } from "./addon.ts";

/** The lists of about ten voice configurations. */
const MAX_KEPT = 4_096;

/** A phrase in the spelling of the model's texts, and a line for each of its words. */
interface ReadPhrase {
  readonly text: string;
  readonly pronunciations: readonly string[];
}

/** Phones of the CMU set by words. Further pronunciations have the keys `word(1)` to `word(3)`. */
type Dictionary = Readonly<Record<string, string>>;

/** English phrases for the word search of the starter model, with the sounds of their words. It keeps them, because all decodes of a caller have the same ones. */
export class PhraseBook {
  readonly #dictionary: Dictionary;
  readonly #kept = new Map<string, ReadPhrase>();

  private constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  static async open(): Promise<PhraseBook> {
    // Large, so that only processes that need it load it.
    const { dictionary } = await import("cmu-pronouncing-dictionary");
    return new PhraseBook(dictionary);
  }

  /** Phrases without words are left out. */
  of(phrases: readonly string[]): NativePhrases {
    const read = phrases.map((phrase) => this.#read(phrase)).filter(({ text }) => text !== "");
    return {
      texts: read.map(({ text }) => text),
      pronunciations: [...new Set(read.flatMap(({ pronunciations }) => pronunciations))],
    };
  }

  #read(phrase: string): ReadPhrase {
    const known = this.#kept.get(phrase);
    if (known !== undefined) return known;
    const words = heardWords(phrase);
    const pronunciations = words.map((word) => `${word} ${soundsOf(word, this.#dictionary).join(", ")}`);
    const made = { text: words.join(" "), pronunciations };
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(phrase, made);
    return made;
  }
}

/** In the spelling of the model's texts: lower case, numbers in words, spelled letters apart, no marks but apostrophes. */
function heardWords(phrase: string): readonly string[] {
  const plain = speakable(phrase).normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.split(/[^a-z']+/u).filter((word) => /[a-z]/u.test(word));
}

function soundsOf(word: string, dictionary: Dictionary): readonly string[] {
  const known = [word, `${word}(1)`, `${word}(2)`, `${word}(3)`].flatMap((key) =>
    Object.hasOwn(dictionary, key) ? (dictionary[key] ?? []) : [],
  );
  const phones = known.length > 0 ? known : [letterSounds(word.replaceAll("'", "")).join(" ")];
  // The network tells a faded vowel from a clear one, and no other stress.
  return phones.map((each) => each.toLowerCase().replaceAll("ah0", "ax").replaceAll(/\d/gu, ""));
}

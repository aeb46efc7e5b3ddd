import { letterSounds } from "../../language/en/letter-sounds.ts";
import { speakable } from "../../language/en/speakable.ts";
import type { NativePhrases } from "./addon.ts";

/** Lists of phrases that are kept: about one for each voice configuration in use. */
const MAX_KEPT = 32;

/** English phrases for the word search of the starter model, with the sounds of their words. Keeps the last lists, because all decodes of a caller have the same one. */
export class PhraseBook {
  readonly #kept = new Map<string, NativePhrases>();

  async of(phrases: readonly string[]): Promise<NativePhrases> {
    const key = phrases.join("\n");
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    // Large, so that it is loaded only where phrases are used.
    const { dictionary } = await import("cmu-pronouncing-dictionary");
    const made = nativePhrases(phrases, dictionary);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_KEPT) this.#kept.delete(oldest);
    this.#kept.set(key, made);
    return made;
  }
}

type Dictionary = Readonly<Record<string, string>>;

/** Phrases without words are left out. `dictionary`: phones of the CMU set by words, further pronunciations as `word(1)`. */
export function nativePhrases(phrases: readonly string[], dictionary: Dictionary): NativePhrases {
  const texts = phrases.map(asHeard).filter((text) => text !== "");
  const words = [...new Set(texts.flatMap((text) => text.split(" ")))];
  return { texts, pronunciations: words.map((word) => `${word} ${soundsOf(word, dictionary).join(", ")}`) };
}

/** In the spelling of the model's texts: lower case, numbers in words, spelled letters apart, no marks but apostrophes. */
function asHeard(phrase: string): string {
  return speakable(phrase)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z']+/u)
    .filter((word) => /[a-z]/u.test(word))
    .join(" ");
}

function soundsOf(word: string, dictionary: Dictionary): readonly string[] {
  const known = [word, `${word}(1)`, `${word}(2)`, `${word}(3)`].flatMap((key) =>
    Object.hasOwn(dictionary, key) ? (dictionary[key] ?? []) : [],
  );
  const phones = known.length > 0 ? known : [letterSounds(word.replaceAll("'", "")).join(" ")];
  // The network tells a faded vowel from a clear one, and no other stress.
  return phones.map((each) => each.toLowerCase().replaceAll("ah0", "ax").replaceAll(/\d/gu, ""));
}

import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { emphasized, PRIMARY, SECONDARY, stressed, VOWEL, weaken, weightOf } from "./alphabet.ts";
import { readInflected, withS } from "./endings.ts";
import { readFunctionWord, type Following } from "./function-words.ts";
import { Lexicon } from "./lexicon.ts";
import { PartOfSpeech } from "./part-of-speech.ts";
import { spokenTokens, type SpokenToken } from "./spoken-tokens.ts";
import { UnknownWords } from "./unknown-words.ts";

/** At most this many capitals without a reading are spelled. */
const LONGEST_INITIALS = 5;
const LONGEST_WORD = 40;
/** "can't" counts as two words: "ca", "n't". */
const CONTRACTION = /^(.+?)(n't|'(?:s|re|ve|ll|d|m))$/iu;
const NOTHING_FOLLOWS: Following = { startsWithVowel: undefined, isTo: false };

/** Reads English words in the voice's alphabet: from its lexicon by part of speech, else by its network for unknown words. */
export class Pronouncer {
  readonly #lexicon: Lexicon;
  readonly #partOfSpeech: PartOfSpeech;
  readonly #unknownWords: UnknownWords;

  private constructor(lexicon: Lexicon, partOfSpeech: PartOfSpeech, unknownWords: UnknownWords) {
    this.#lexicon = lexicon;
    this.#partOfSpeech = partOfSpeech;
    this.#unknownWords = unknownWords;
  }

  /** `folder`: as scripts/models/heart_voice.py writes it. Rejects with the fault of a missing or damaged file. */
  static async open(folder: string): Promise<Pronouncer> {
    const at = (name: string): string => path.join(folder, name);
    const [lexicon, partOfSpeech, facts] = await Promise.all([
      readZipped(at("lexicon.txt.gz")),
      readZipped(at("parts-of-speech.txt.gz")),
      readFile(at("unknown-words.json"), "utf8"),
    ]);
    const unknownWords = new UnknownWords(at("unknown-words.onnx"), JSON.parse(facts));
    return new Pronouncer(Lexicon.parse(lexicon), new PartOfSpeech(partOfSpeech), unknownWords);
  }

  get lexicon(): Lexicon {
    return this.#lexicon;
  }

  /** Sounds and marks of a text, words apart by spaces. "" when the text has no word that can be said. */
  read(text: string): string {
    const tokens = spokenTokens(text);
    const tags = this.#tagsOf(tokens);
    let following = NOTHING_FOLLOWS;
    const parts: string[] = [];
    // A word's sound depends on the next one.
    for (const [index, token] of [...tokens.entries()].toReversed()) {
      if (token.kind === "mark") {
        following = NOTHING_FOLLOWS;
        parts.unshift(token.text);
        continue;
      }
      const tag = tags[index] ?? "NN";
      const sounds =
        token.kind === "letters" ? this.#spell(token.text, token.hasS) : this.#readWord(token.text, tag, following);
      if (sounds === "") continue;
      const first = Array.from(sounds).find((sound) => sound !== PRIMARY && sound !== SECONDARY) ?? "";
      following = { startsWithVowel: VOWEL.test(first), isTo: /^to$/i.test(token.text) };
      parts.unshift(` ${sounds}`);
    }
    const read = parts.join("").trim();
    return /[^\s,.?!;:—]/u.test(read) ? read : "";
  }

  #tagsOf(tokens: readonly SpokenToken[]): readonly string[] {
    const words = tokens.map(({ text }) => CONTRACTION.exec(text)?.slice(1) ?? [text]);
    const tags = this.#partOfSpeech.tag(words.flat());
    let at = 0;
    return words.map((parts) => {
      const tag = tags[at] ?? "NN";
      at += parts.length;
      return tag;
    });
  }

  #readWord(word: string, tag: string, following: Following): string {
    const isBeforePause = following.startsWithVowel === undefined;
    const known = readFunctionWord(word, tag, following) ?? this.#readKnown(word, tag, isBeforePause);
    if (known !== undefined) return known;
    const parts = word.split("-");
    return parts.length > 1
      ? this.#readCompound(parts, tag, isBeforePause)
      : this.#readUnknown(word.slice(0, LONGEST_WORD));
  }

  #readKnown(word: string, tag: string, isBeforePause: boolean): string | undefined {
    if (/^\p{L}$/u.test(word)) return this.#lexicon.read(word.toUpperCase(), { tag, isBeforePause });
    const place = { tag, isBeforePause };
    const isCapitals = word.length > 1 && word === word.toUpperCase();
    const find = (spelling: string) => this.#lexicon.read(spelling, place);
    const bare = word.replace(/^'|'$/g, "");
    const spellings = isCapitals
      ? [word, ...(tag === "NNP" ? [] : [word.toLowerCase()])]
      : [word, bare, word.toLowerCase(), withoutAccents(word)];
    for (const spelling of spellings) {
      const sounds = find(spelling) ?? readInflected(spelling, find);
      if (sounds === "") return this.#spell(word, false);
      if (sounds !== undefined)
        return isCapitals ? emphasized(sounds) : isCapitalized(word) ? stressed(sounds, SECONDARY) : sounds;
    }
    return undefined;
  }

  /** "well-known": the lighter parts get a weaker stress. */
  #readCompound(parts: readonly string[], tag: string, isBeforePause: boolean): string {
    const sounds = parts
      .map((part) => this.#readKnown(part, tag, isBeforePause) ?? this.#readUnknown(part))
      .filter((each) => each !== "");
    const [first = "", second = ""] = sounds;
    if (sounds.length === 2 && parts[0]?.length === 1) return first + weaken(second);
    if (sounds.filter((each) => each.includes(PRIMARY)).length <= (sounds.length + 1) / 2) return sounds.join("");
    const lightest = sounds
      .toSorted((one, other) => weightOf(one) - weightOf(other))
      .slice(0, Math.floor(sounds.length / 2));
    return sounds.map((each) => (lightest.includes(each) ? weaken(each) : each)).join("");
  }

  #readUnknown(word: string): string {
    const letters = word.replaceAll("'", "");
    const isInitials =
      letters.length <= LONGEST_INITIALS && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
    if (isInitials || !/[aeiouy]/i.test(withoutAccents(letters)))
      return this.#spell(letters, false) || this.#unknownWords.read(word);
    return this.#unknownWords.read(word);
  }

  /** Names of letters. The last one has the strongest stress. Other letters than English ones are left out. */
  #spell(letters: string, hasS: boolean): string {
    const place = { tag: "NN", isBeforePause: false };
    const names = Array.from(withoutAccents(letters).toUpperCase()).flatMap(
      (letter) => this.#lexicon.read(letter, place) ?? [],
    );
    const last = names.pop() ?? "";
    const spelled = [...names.map(weaken), emphasized(last)].join("");
    return hasS && spelled !== "" ? withS(spelled) : spelled;
  }
}

const readZipped = async (file: string): Promise<string> => (await promisify(gunzip)(await readFile(file))).toString();
const withoutAccents = (word: string): string => word.normalize("NFKD").replaceAll(/\p{M}/gu, "");
const isCapitalized = (word: string): boolean => /^\p{Lu}/u.test(word);

/** Where a word stands. */
export interface Place {
  /** As the Penn Treebank names parts of speech: "VBD" is a past tense. */
  readonly tag: string;
  /** A mark or the end of the text follows. */
  readonly isBeforePause: boolean;
}

const GROUPS: readonly (readonly [prefix: string, group: string])[] = [
  ["VB", "VERB"],
  ["NN", "NOUN"],
  ["RB", "ADV"],
  ["JJ", "ADJ"],
];
const groupOf = (tag: string): string => GROUPS.find(([prefix]) => tag.startsWith(prefix))?.[1] ?? tag;

/** The sounds of known words. A word may have one reading for each part of speech. */
export class Lexicon {
  readonly #readings: ReadonlyMap<string, string>;

  private constructor(readings: ReadonlyMap<string, string>) {
    this.#readings = readings;
  }

  /** `text`: as scripts/models/heart_voice.py writes it, "word<tab>sounds<tab>NOUN=sounds" on a line. */
  static parse(text: string): Lexicon {
    const readings = new Map<string, string>();
    for (const line of text.split("\n")) {
      const end = line.indexOf("\t");
      if (end > 0) readings.set(line.slice(0, end), line.slice(end + 1));
    }
    return new Lexicon(readings);
  }

  get size(): number {
    return this.#readings.size;
  }

  /** All sounds of some words, evenly spread. */
  sample(count: number): readonly string[] {
    const step = Math.max(1, Math.floor(this.#readings.size / count));
    return [...this.#readings.values()]
      .filter((_, index) => index % step === 0)
      .flatMap((entry) => entry.split("\t").map((reading) => reading.slice(reading.indexOf("=") + 1)));
  }

  /** In the case of `word`, or with the first letter in the other case. "": the word is spelled. Undefined: not known. */
  read(word: string, { tag, isBeforePause }: Place): string | undefined {
    const entry = this.#readings.get(word) ?? this.#readings.get(otherCase(word));
    if (entry === undefined || !entry.includes("\t")) return entry;
    const [usual, ...special] = entry.split("\t");
    const wanted = [...(isBeforePause ? ["PAUSE"] : []), tag, groupOf(tag)];
    for (const name of wanted) {
      const reading = special.find((each) => each.startsWith(`${name}=`));
      if (reading !== undefined) return reading.slice(name.length + 1);
    }
    return usual;
  }
}

/** "paris" for "Paris" and back. Other words stay. */
function otherCase(word: string): string {
  const lower = word.toLowerCase();
  const capitalized = lower.charAt(0).toUpperCase() + lower.slice(1);
  return word.length < 2 ? word : word === lower ? capitalized : word === capitalized ? lower : word;
}

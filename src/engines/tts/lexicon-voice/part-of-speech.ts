type Weights = readonly (readonly [tag: string, weight: number])[];

const BEFORE = ["-START2-", "-START-"];
const AFTER = ["-END-", "-END2-"];
const last3 = (word: string): string => word.slice(-3);

/**
 * Names the part of speech of each word, as the Penn Treebank does. An averaged perceptron: each fact about a word and its neighbours adds weights to
 * tags. Words that nearly always have one tag need no weights.
 */
export class PartOfSpeech {
  readonly #tags: readonly string[];
  readonly #known: ReadonlyMap<string, string>;
  readonly #frequent: ReadonlySet<string>;
  /** Weights stay text until a feature is used: most never are. */
  readonly #weights: ReadonlyMap<string, string>;
  readonly #parsed = new Map<string, Weights>();

  /** `text`: as scripts/models/heart_voice.py writes it. */
  constructor(text: string) {
    const [tags = "", known = "", frequent = "", weights = ""] = text.split("\n\n");
    this.#tags = tags.split(" ");
    this.#known = new Map(known.split("\n").map((line) => splitAt(line, line.lastIndexOf("="))));
    this.#frequent = new Set(frequent.split("\n"));
    this.#weights = new Map(weights.split("\n").map((line) => splitAt(line, line.indexOf("\t"))));
  }

  /** One tag for each word. Marks are words. Contractions are two: "ca", "n't". */
  tag(words: readonly string[]): readonly string[] {
    const context = [...BEFORE, ...words.map((word) => this.#generalize(word)), ...AFTER];
    const tags: string[] = [];
    for (const [index, word] of words.entries()) {
      tags.push(this.#known.get(word) ?? this.#guess(featuresOf(index, word, context, tags)));
    }
    return tags;
  }

  #guess(features: readonly string[]): string {
    const scores = new Map<string, number>();
    for (const feature of features) {
      for (const [tag, weight] of this.#weightsOf(feature)) scores.set(tag, (scores.get(tag) ?? 0) + weight);
    }
    const scoreOf = (tag: string): number => scores.get(tag) ?? 0;
    return scores.size === 0 ? "NN" : this.#tags.reduce((best, tag) => (scoreOf(tag) >= scoreOf(best) ? tag : best));
  }

  #weightsOf(feature: string): Weights {
    const text = this.#weights.get(feature);
    if (text === undefined) return [];
    const parsed = this.#parsed.get(feature) ?? text.split("\t").map(weightOf);
    this.#parsed.set(feature, parsed);
    return parsed;
  }

  /** A rare word is known by its shape alone. */
  #generalize(word: string): string {
    const general = word.includes("-") && !word.startsWith("-") ? "!HYPHEN" : word.toLowerCase();
    return this.#frequent.has(general) ? general : `<${shapeOf(word)}>`;
  }
}

function featuresOf(
  index: number,
  word: string,
  context: readonly string[],
  tags: readonly string[],
): readonly string[] {
  const at = (offset: number): string => context[index + BEFORE.length + offset] ?? "";
  const before = tags[index - 1] ?? BEFORE[1] ?? "";
  const beforeThat = tags[index - 2] ?? (index === 1 ? BEFORE[1] : BEFORE[0]) ?? "";
  return [
    "b", `s3=${last3(word)}`, `p1=${word.charAt(0)}`, `w=${at(0)}`, `sh=${shapeOf(word)}`, index === 0 ? "i0" : "i+",
    `t-1=${before}`, `t-2=${beforeThat}`, `t-12=${before},${beforeThat}`,
    `w-1=${at(-1)}`, `s3-1=${last3(at(-1))}`, `w-2=${at(-2)}`,
    `w+1=${at(1)}`, `s3+1=${last3(at(1))}`, `w+2=${at(2)}`,
  ]; // prettier-ignore
}

/** "x": small letters; "Xx": one capital first; "X1": one capital alone. */
function shapeOf(word: string): string {
  if (/^\p{L}+$/u.test(word)) {
    if (word === word.toLowerCase()) return "x";
    if (word === word.toUpperCase()) return word.length > 1 ? "XX" : "X1";
    return /^\p{Lu}\p{Ll}+$/u.test(word) ? "Xx" : "xX";
  }
  return word.slice(0, 4).replaceAll(/\p{L}/gu, "x");
}

function weightOf(text: string): readonly [string, number] {
  const [tag, weight] = splitAt(text, text.indexOf(" "));
  return [tag, Number(weight)];
}

const splitAt = (text: string, at: number): readonly [string, string] => [text.slice(0, at), text.slice(at + 1)];

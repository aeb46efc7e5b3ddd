/** The beginning of the next word. */
export interface Following {
  /** Undefined before a mark and at the end. */
  readonly startsWithVowel: boolean | undefined;
  readonly isTo: boolean;
}

type Reading = (tag: string, following: Following) => string | undefined;

/** Short words whose sound depends on the next one. */
const READINGS: Readonly<Record<string, Reading>> = {
  a: (tag) => (tag === "DT" ? "ɐ" : "ˈA"),
  an: () => "ɐn",
  am: (_, { startsWithVowel }) => (startsWithVowel === undefined ? undefined : "ɐm"),
  i: (tag) => (tag === "PRP" ? "ˌI" : undefined),
  in: (tag, { startsWithVowel }) => (tag === "IN" && startsWithVowel !== undefined ? "ɪn" : "ˈɪn"),
  the: (_, { startsWithVowel }) => (startsWithVowel === true ? "ði" : "ðə"),
  to: (_, { startsWithVowel }) => (startsWithVowel === undefined ? "tu" : startsWithVowel ? "tʊ" : "tə"),
  // "I used to go" against "I used it".
  used: (_, { isTo }) => (isTo ? "jˈust" : "jˈuzd"),
};

/** Undefined: the lexicon knows it. Capital letters after the first make it another word ("IN", "AM"). */
export function readFunctionWord(word: string, tag: string, following: Following): string | undefined {
  if (word.length > 1 && word.slice(1) !== word.slice(1).toLowerCase()) return undefined;
  const key = word.toLowerCase();
  return Object.hasOwn(READINGS, key) ? READINGS[key]?.(tag, following) : undefined;
}

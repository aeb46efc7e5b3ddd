import { evenly } from "../evenly.ts";
import { plainWords, wordErrors } from "../../src/simulated-callers/words/word-errors.ts";
import type { RecordingSet } from "../../src/simulated-callers/recordings/recordings.ts";

/** A shorter word is seldom a name or a term. */
const MIN_LETTERS = 5;

/** Words of at least five letters that a single text has: they take the place of names and terms. */
function rareWords(sets: readonly RecordingSet[]): ReadonlySet<string> {
  const texts = new Set(
    sets.flatMap(({ recordings }) =>
      recordings.flatMap(({ truth }) => (truth.kind === "words" ? [plainWords(truth.text).join(" ")] : [])),
    ),
  );
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of new Set(text.split(" "))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts.keys()].filter((word) => counts.get(word) === 1 && word.length >= MIN_LETTERS));
}

/** Each word as its text writes it: a phrase has the case of a name. */
function writings(sets: readonly RecordingSet[]): ReadonlyMap<string, string> {
  const texts = sets.flatMap(({ recordings }) =>
    recordings.flatMap(({ truth }) => (truth.kind === "words" ? truth.text.split(/[^\p{L}\p{M}']+/u) : [])),
  );
  return new Map(texts.map((word) => [plainWords(word).join(" "), word]));
}

/** The lists that the recogniser gets: none, phrases of other recordings, or the recording's own rare words among them. */
const LISTS = ["no phrases", "others' phrases", "own and others' phrases"] as const;

interface Tally {
  errors: number;
  rareHeard: number;
}

interface Listener {
  readonly read: (path: string) => Float32Array;
  readonly hear: (samples: Float32Array, phrases: readonly string[]) => Promise<string>;
}

/**
 * Prints how well each set is heard with lists of phrases, as in tests of contextual biasing (Le et al., 2021). The lists of a
 * recording have `count` rare words of other recordings.
 */
export async function comparePhrases(
  sets: readonly RecordingSet[],
  count: number,
  { read, hear }: Listener,
): Promise<void> {
  const rare = rareWords(sets);
  const written = writings(sets);
  for (const { name, recordings } of sets) {
    const tallies = LISTS.map((list): Tally & { list: (typeof LISTS)[number] } => ({ list, errors: 0, rareHeard: 0 }));
    let words = 0;
    let rareSaid = 0;
    for (const [index, { path, truth }] of recordings.entries()) {
      if (truth.kind !== "words") continue;
      const samples = read(path);
      const said = plainWords(truth.text);
      const own = said.filter((word) => rare.has(word));
      const others = othersPhrases(
        [...rare].filter((word) => !own.includes(word)),
        index,
        count,
      );
      const lists = { "no phrases": [], "others' phrases": others, "own and others' phrases": [...own, ...others] };
      for (const tally of tallies) {
        const phrases = lists[tally.list].map((word) => written.get(word) ?? word);
        const heard = plainWords(await hear(samples, phrases));
        tally.errors += wordErrors(said, heard);
        tally.rareHeard += own.filter((word) => heard.includes(word)).length;
      }
      words += said.length;
      rareSaid += own.length;
    }
    if (words === 0) continue;
    for (const { list, errors, rareHeard } of tallies) {
      const rate = `word error rate ${percent(errors / words)} of ${words} words`;
      console.log(`${name}, ${list}: ${rate}; ${rareHeard} of ${rareSaid} rare words heard`);
    }
  }
}

/** `count` of `words`, other ones for each recording. */
function othersPhrases(words: readonly string[], recording: number, count: number): readonly string[] {
  const first = recording % Math.max(1, Math.floor(words.length / count));
  return evenly([...words.slice(first), ...words.slice(0, first)], count);
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

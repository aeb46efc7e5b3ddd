import type { Word } from "../../engines/stt/speech-to-text.ts";

/**
 * The words of a growing clip that may be shown: those that two successive decodes agree on (LocalAgreement-2, after Liu et al.,
 * 2020). Shown words stay, with their times.
 */
export interface Agreement {
  /** The shown words. Later decodes only append. */
  readonly published: readonly Word[];
  /** The words of the last decode after them. */
  readonly candidates: readonly Word[];
}

export const NOTHING_AGREED: Agreement = { published: [], candidates: [] };

/** Which of the earlier words are in a clip, in seconds. */
export interface ClipStart {
  /** Words whose middle lies before this are not in the clip. */
  readonly knownFrom: number;
  /** Words whose middle lies before this may be missing in the clip. */
  readonly from: number;
}

const WHOLE: ClipStart = { knownFrom: 0, from: 0 };

/** A word that ends later than this before the end of its clip, in seconds, may be half a word. */
const WHOLE_AFTER = 0.1;

/** Adds the words of the next decode of the growing clip, which ends at `end`, in seconds. */
export function agree(
  { published, candidates }: Agreement,
  decoded: readonly Word[],
  end: number,
  clip = WHOLE,
): Agreement {
  const rest = wordsAfter(published, decoded, clip);
  let agreed = 0;
  // A candidate may be half a word: the same word in two clips is whole.
  while (isSame(rest[agreed], candidates[agreed]) && rest[agreed]!.end <= end - WHOLE_AFTER) agreed += 1;
  return { published: append(published, rest.slice(0, agreed)), candidates: rest.slice(agreed) };
}

/** The words whose middle is at `seconds` or later. */
export function wordsFrom(words: readonly Word[], seconds: number): readonly Word[] {
  return words.filter((word) => middle(word) >= seconds);
}

export const middle = ({ start, end }: Word): number => (start + end) / 2;

/** The words of a clip that follow the words of `known`. */
export function wordsAfter(known: readonly Word[], decoded: readonly Word[], clip = WHOLE): readonly Word[] {
  const inClip = wordsFrom(known, clip.knownFrom);
  const whole = wordsFrom(inClip, clip.from);
  return decoded.slice(lengthOfPrefix(inClip, decoded, inClip.length - whole.length));
}

/** `words` followed by `more`. Times never decrease, even when two decodes disagree. */
export function append(words: readonly Word[], more: readonly Word[]): readonly Word[] {
  let earliest = words.at(-1)?.end ?? 0;
  const appended = more.map((word) => {
    const start = Math.max(word.start, earliest);
    earliest = Math.max(word.end, start);
    return { ...word, start, end: earliest };
  });
  return [...words, ...appended];
}

export function meanConfidence(words: readonly Word[]): number {
  return words.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, words.length);
}

/** The words of the last decode. Words that were shown keep their times. */
export function withShownTimes(published: readonly Word[], decoded: readonly Word[]): readonly Word[] {
  // A word said twice must not take the time of the first one.
  const overlap = decoded.slice(0, lengthOfPrefix(published, decoded));
  const shown = new Map(matches(published, overlap).map(([from, to]) => [to, published[from]]));
  let earliest = 0;
  return decoded.map((word, index) => {
    const kept = shown.get(index);
    let latest = Infinity;
    for (let next = index + 1; latest === Infinity && next < decoded.length; next += 1)
      latest = shown.get(next)?.start ?? Infinity;
    const start = kept?.start ?? clamp(word.start, earliest, latest);
    const end = kept?.end ?? clamp(word.end, start, latest);
    earliest = end;
    return { ...word, start, end };
  });
}

/** The number of shown words that the final does not have. */
export function wordsTakenBack(published: readonly Word[], final: readonly Word[]): number {
  return published.length - matches(published, final).length;
}

/** Half a second between the ends of two texts costs as much as one differing word. */
const EDITS_PER_SECOND = 2;

/**
 * The number of first words in `decoded` that correspond to `published`, whose first `optional` words may be missing. Words decide.
 * Times decide between equal matches, also for a decode that shares no word with the shown ones.
 */
function lengthOfPrefix(published: readonly Word[], decoded: readonly Word[], optional = 0): number {
  const end = published.at(-1)?.end;
  if (end === undefined) return 0;
  const costs = (editDistances(published, decoded, optional).at(-1) ?? []).map((edits, length) => {
    const at = decoded[length - 1]?.end ?? decoded[0]?.start ?? end;
    return edits + EDITS_PER_SECOND * Math.abs(at - end);
  });
  return costs.indexOf(Math.min(...costs));
}

/** Pairs of positions that hold the same word, in an alignment of least edit distance. */
function matches(from: readonly Word[], to: readonly Word[]): (readonly [number, number])[] {
  const distances = editDistances(from, to);
  const pairs: [number, number][] = [];
  for (let i = from.length, j = to.length; i > 0 && j > 0;) {
    const distance = distances[i]?.[j] ?? 0;
    const same = isSame(from[i - 1], to[j - 1]);
    if (same && distances[i - 1]?.[j - 1] === distance) pairs.push([--i, --j]);
    else if ((distances[i - 1]?.[j - 1] ?? 0) + 1 === distance) [i, j] = [i - 1, j - 1];
    else if ((distances[i - 1]?.[j] ?? 0) + 1 === distance) i -= 1;
    else j -= 1;
  }
  return pairs.toReversed();
}

/** The cost of another word where a clip begins: it may be the second half of a known word. */
const HALF_HEARD = 0.5;

/** [i][j]: the edits that turn the first i words of `from` into the first j of `to`. Leaving out the first `optional` words costs nothing. */
function editDistances(from: readonly Word[], to: readonly Word[], optional = 0): number[][] {
  const table = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (const [i, word] of from.entries()) {
    const above = table[i] ?? [];
    const row = [Math.max(0, i + 1 - optional)];
    for (const [j, other] of to.entries()) {
      const [diagonal = 0, up = 0, left = 0] = [above[j], above[j + 1], row[j]];
      const replaced = i < optional && j === 0 ? HALF_HEARD : 1;
      row.push(isSame(word, other) ? diagonal : Math.min(diagonal + replaced, up + 1, left + 1));
    }
    table.push(row);
  }
  return table;
}

/** Compares without case and punctuation. */
function isSame(a: Word | undefined, b: Word | undefined): boolean {
  return a !== undefined && b !== undefined && spoken(a.word) === spoken(b.word);
}

const spoken = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

import type { Word } from "../../engines/stt/speech-to-text.ts";

/**
 * Which words of a growing clip may be shown while it grows: those that two successive decodes agree on (LocalAgreement-2,
 * after Liu et al., 2020), without the newest one, which may be half a word. What was shown stays, with its times.
 */
export interface Agreement {
  /** Shown; later ones only append. */
  readonly published: readonly Word[];
  /** What the last decode said after them. */
  readonly candidates: readonly Word[];
}

export const NOTHING_AGREED: Agreement = { published: [], candidates: [] };

/** Which of the words said before a clip are in it, in seconds. */
export interface ClipStart {
  /** Words whose middle lies before this are not in the clip. */
  readonly knownFrom: number;
  /** Words whose middle lies before this may be missing in the clip. */
  readonly from: number;
}

const WHOLE: ClipStart = { knownFrom: 0, from: 0 };

/** Takes in the next decode of the growing clip. */
export function agree({ published, candidates }: Agreement, decoded: readonly Word[], clip = WHOLE): Agreement {
  const rest = wordsAfter(published, decoded, clip);
  let agreed = 0;
  while (agreed < rest.length - 1 && isSame(rest[agreed], candidates[agreed])) agreed += 1;
  return { published: append(published, rest.slice(0, agreed)), candidates: rest.slice(agreed) };
}

/** The words whose middle does not lie before `seconds`. */
export function wordsFrom(words: readonly Word[], seconds: number): readonly Word[] {
  return words.filter((word) => middle(word) >= seconds);
}

export const middle = ({ start, end }: Word): number => (start + end) / 2;

/** What a clip's words say after the words of `known`. */
export function wordsAfter(known: readonly Word[], decoded: readonly Word[], clip = WHOLE): readonly Word[] {
  const inClip = wordsFrom(known, clip.knownFrom);
  const whole = wordsFrom(inClip, clip.from);
  return decoded.slice(lengthOfPrefix(inClip, decoded, inClip.length - whole.length));
}

/** `words` with `more` behind them. Times never run backwards, whatever two decodes say. */
export function append(words: readonly Word[], more: readonly Word[]): readonly Word[] {
  let earliest = words.at(-1)?.end ?? 0;
  const appended = more.map((word) => {
    const start = Math.max(word.start, earliest);
    earliest = Math.max(word.end, start);
    return { ...word, start, end: earliest };
  });
  return [...words, ...appended];
}

/** So much more confident must a final be of other words than those that were settled. */
const CLEARLY = 0.15;

/** A final's words, with the settled ones where it says something else and is not clearly more confident of it. */
export function reconcile(settled: readonly Word[], final: readonly Word[]): readonly Word[] {
  const overlap = final.slice(0, lengthOfPrefix(settled, final));
  const words: Word[] = [];
  let from = { settled: 0, final: 0 };
  for (const [inSettled, inFinal] of [...matches(settled, overlap), [settled.length, overlap.length] as const]) {
    const isSurer =
      confidenceAround(overlap, from.final, inFinal) > confidenceAround(settled, from.settled, inSettled) + CLEARLY;
    const differing = isSurer ? overlap.slice(from.final, inFinal) : settled.slice(from.settled, inSettled);
    words.push(...differing, ...overlap.slice(inFinal, inFinal + 1));
    from = { settled: inSettled + 1, final: inFinal + 1 };
  }
  return [...words, ...final.slice(overlap.length)];
}

/** Mean over the words from `from` to `to`, and the one on either side, on which both texts agree. */
function confidenceAround(words: readonly Word[], from: number, to: number): number {
  return meanConfidence(words.slice(Math.max(0, from - 1), to + 1));
}

export function meanConfidence(words: readonly Word[]): number {
  return words.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, words.length);
}

/** The last decode in its own words; those that were shown keep the times they were shown with. */
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

/** How many of the words shown are not in the final any more. */
export function wordsTakenBack(published: readonly Word[], final: readonly Word[]): number {
  return published.length - matches(published, final).length;
}

/** Half a second between the ends of two texts weighs as much as one word that differs. */
const EDITS_PER_SECOND = 2;

/**
 * How many of the first words of `decoded` say what `published` says, of which the first ones are `optional`. Words decide.
 * Where they leave it open times do: a recogniser that changed its mind about everything still goes on where the words shown end.
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

/** [i][j]: the edits that turn the first i words of `from` into the first j of `to`. To leave out the first `optional` ones is none. */
function editDistances(from: readonly Word[], to: readonly Word[], optional = 0): number[][] {
  const table = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (const [i, word] of from.entries()) {
    const above = table[i] ?? [];
    const row = [Math.max(0, i + 1 - optional)];
    for (const [j, other] of to.entries()) {
      const [diagonal = 0, up = 0, left = 0] = [above[j], above[j + 1], row[j]];
      row.push(isSame(word, other) ? diagonal : 1 + Math.min(diagonal, up, left));
    }
    table.push(row);
  }
  return table;
}

/** Case and punctuation aside. */
function isSame(a: Word | undefined, b: Word | undefined): boolean {
  return a !== undefined && b !== undefined && spoken(a.word) === spoken(b.word);
}

const spoken = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

import type { Word } from "../stt/contract.ts";

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

/** Takes in the next decode: the words of the clip so far, but for those before `fromSeconds`, which it did not hear. */
export function agree({ published, candidates }: Agreement, decoded: readonly Word[], fromSeconds = 0): Agreement {
  const known = published.filter(({ start }) => start >= fromSeconds);
  const rest = decoded.slice(lengthOfPrefix(known, decoded));
  let agreed = 0;
  while (agreed < rest.length - 1 && isSame(rest[agreed], candidates[agreed])) agreed += 1;
  return { published: append(published, rest.slice(0, agreed)), candidates: rest.slice(agreed) };
}

/** All words of the clip's last decode, but for what it would change in the words already shown. */
export function settle({ published }: Agreement, decoded: readonly Word[]): readonly Word[] {
  return append(published, decoded.slice(lengthOfPrefix(published, decoded)));
}

/** The last decode in its own words; those that were shown keep the times they were shown with. */
export function withShownTimes(published: readonly Word[], decoded: readonly Word[]): readonly Word[] {
  const shown = new Map(matches(published, decoded).map(([from, to]) => [to, published[from]]));
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

/** Times never run backwards, whatever two decodes say. */
function append(published: readonly Word[], words: readonly Word[]): readonly Word[] {
  let earliest = published.at(-1)?.end ?? 0;
  const appended = words.map((word) => {
    const start = Math.max(word.start, earliest);
    earliest = Math.max(word.end, start);
    return { ...word, start, end: earliest };
  });
  return [...published, ...appended];
}

/** Half a second between the ends of two texts weighs as much as one word that differs. */
const EDITS_PER_SECOND = 2;

/**
 * How many of the first words of `decoded` say what `published` says. Words decide, where they leave it open times do:
 * a recogniser that changed its mind about everything still goes on where the words shown end.
 */
function lengthOfPrefix(published: readonly Word[], decoded: readonly Word[]): number {
  const end = published.at(-1)?.end;
  if (end === undefined) return 0;
  const costs = (editDistances(published, decoded).at(-1) ?? []).map((edits, length) => {
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

/** [i][j]: the edits that turn the first i words of `from` into the first j of `to`. */
function editDistances(from: readonly Word[], to: readonly Word[]): number[][] {
  const table = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (const [i, word] of from.entries()) {
    const above = table[i] ?? [];
    const row = [i + 1];
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

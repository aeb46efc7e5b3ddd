/** Words of two texts that stand at the same place. They are the same word, or differ. */
export interface Passage {
  readonly first: readonly string[];
  readonly second: readonly string[];
  readonly isSame: boolean;
}

/** Aligns two texts word by word, by the least edits. Case and punctuation make no difference. */
export function passagesOf(first: string, second: string): readonly Passage[] {
  const from = wordsOf(first);
  const to = wordsOf(second);
  const edits = editTable(from.map(plain), to.map(plain));
  const passages: { first: string[]; second: string[]; isSame: boolean }[] = [];
  const add = (isSame: boolean, one: string | undefined, other: string | undefined) => {
    const before = passages[0];
    const passage = before?.isSame === isSame ? before : { first: [], second: [], isSame };
    if (passage !== before) passages.unshift(passage);
    if (one !== undefined) passage.first.unshift(one);
    if (other !== undefined) passage.second.unshift(other);
  };
  for (let i = from.length, j = to.length; i > 0 || j > 0;) {
    const [one, other] = [from[i - 1], to[j - 1]];
    const here = edits[i]?.[j] ?? 0;
    if (i > 0 && j > 0 && plain(one ?? "") === plain(other ?? "") && edits[i - 1]?.[j - 1] === here) {
      add(true, one, other);
      [i, j] = [i - 1, j - 1];
    } else if (i > 0 && j > 0 && (edits[i - 1]?.[j - 1] ?? Infinity) + 1 === here) {
      add(false, one, other);
      [i, j] = [i - 1, j - 1];
    } else if (i > 0 && (edits[i - 1]?.[j] ?? Infinity) + 1 === here) {
      add(false, one, undefined);
      i -= 1;
    } else {
      add(false, undefined, other);
      j -= 1;
    }
  }
  return passages;
}

/** The first text, with the words of the second one in the passages that `isSecond` names. */
export function mixed(passages: readonly Passage[], isSecond: (index: number) => boolean): string {
  return passages.flatMap(({ first, second }, index) => (isSecond(index) ? second : first)).join(" ");
}

const wordsOf = (text: string): readonly string[] => text.split(/\s+/u).filter((word) => word !== "");
const plain = (word: string): string => word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "") || word;

/** [i][j]: the edits that turn the first i words into the first j. */
function editTable(from: readonly string[], to: readonly string[]): number[][] {
  const table = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (const [i, word] of from.entries()) {
    const row = [i + 1];
    for (const [j, other] of to.entries())
      row.push(
        Math.min((table[i]?.[j] ?? 0) + (word === other ? 0 : 1), (table[i]?.[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1),
      );
    table.push(row);
  }
  return table;
}

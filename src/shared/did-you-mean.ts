/** More changes than this make another word. */
const MOST_CHANGES = 2;

/** The known word that was probably meant; undefined when none is near. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const distances = known.map((other) => ({ other, changes: changesBetween(word.slice(0, 40), other) }));
  const nearest = distances.toSorted((one, another) => one.changes - another.changes)[0];
  return nearest !== undefined && nearest.changes <= Math.min(MOST_CHANGES, nearest.other.length / 2)
    ? nearest.other
    : undefined;
}

/** Letters that are added, left out, replaced, or swapped with the next one. */
function changesBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      const before = rows[row - 1] ?? [];
      let least = Math.min((before[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1, (before[at - 1] ?? 0) + Number(!isSame));
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1])
        least = Math.min(least, (rows[row - 2]?.[at - 2] ?? 0) + 1);
      current.push(least);
    }
    rows.push(current);
  }
  return rows[one.length]?.[other.length] ?? 0;
}

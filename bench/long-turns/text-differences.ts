/** Number of successive words that make a clause. */
const CLAUSE_WORDS = 4;

/** Number of words of `shown` that are not in `final` in the same order. */
export function missing(shown: readonly string[], final: readonly string[]): number {
  let row = final.map(() => 0);
  for (const word of shown) {
    let diagonal = 0;
    let left = 0;
    row = row.map((above, index) => {
      const best = word === final[index] ? diagonal + 1 : Math.max(above, left);
      diagonal = above;
      left = best;
      return best;
    });
  }
  return shown.length - (row.at(-1) ?? 0);
}

/** Runs of words that are only in one of the texts. */
export function clauses(truth: readonly string[], said: readonly string[]): { lost: number; invented: number } {
  const table = [Array.from({ length: said.length + 1 }, (_, j) => j)];
  for (const [i, word] of truth.entries()) {
    const above = table[i]!;
    const row = [i + 1];
    for (const [j, other] of said.entries())
      row.push(Math.min(above[j]! + (word === other ? 0 : 1), above[j + 1]! + 1, row[j]! + 1));
    table.push(row);
  }
  let [i, j] = [truth.length, said.length];
  let [deleted, inserted, lost, invented] = [0, 0, 0, 0];
  const flush = () => {
    if (deleted >= CLAUSE_WORDS) lost += 1;
    if (inserted >= CLAUSE_WORDS) invented += 1;
    [deleted, inserted] = [0, 0];
  };
  while (i > 0 || j > 0) {
    const here = table[i]![j]!;
    if (i > 0 && j > 0 && here === table[i - 1]![j - 1]! + (truth[i - 1] === said[j - 1] ? 0 : 1)) {
      if (truth[i - 1] === said[j - 1]) flush();
      [i, j] = [i - 1, j - 1];
    } else if (i > 0 && here === table[i - 1]![j]! + 1) {
      deleted += 1;
      i -= 1;
    } else {
      inserted += 1;
      j -= 1;
    }
  }
  flush();
  return { lost, invented };
}

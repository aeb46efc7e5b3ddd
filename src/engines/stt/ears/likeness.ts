/** How alike two texts are, 0 to 1: twice the letters and digits of their longest common subsequence by the letters of both. */
export function likenessOf(one: string, other: string): number {
  const [first, second] = [lettersOf(one), lettersOf(other)];
  if (first.length === 0 || second.length === 0) return 0;
  let above = new Uint16Array(second.length + 1);
  for (const letter of first) {
    const row = new Uint16Array(second.length + 1);
    for (const [at, opposite] of second.entries())
      row[at + 1] = letter === opposite ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0);
    above = row;
  }
  return (2 * (above.at(-1) ?? 0)) / (first.length + second.length);
}

const DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** Digits count as their English names, because one ear writes "46" where the other writes "four six". */
const lettersOf = (text: string): readonly string[] =>
  Array.from(
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, "")
      .replaceAll(/\d/gu, (digit) => DIGITS[Number(digit)] ?? digit),
  );
